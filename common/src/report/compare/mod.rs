//! `--compare`: this run compared with a recorded one.

mod rows;

use crate::error::Error;
use crate::outcome::Outcome;
use crate::recorded::{Language, Recorded, parse, results};
use crate::report::print::name_lines;
use crate::report::table::cells::name;
use crate::stage::{Plan, Stage};
use rows::{Row, tables};
use std::path::{Path, PathBuf};

/// A recorded run.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The file with the records.
    file: PathBuf,
    records: Vec<Recorded>,
}

impl Recording {
    /// Reads a file of records (an array, one record per line, or that of `cargo x record`), or those of a device by its name in
    /// `results/`.
    ///
    /// # Errors
    /// [`Error::Usage`] with the file and the reason.
    pub fn open(stage: &Stage, what: &str) -> Result<Self, Error> {
        let file = find(stage, what)?;
        let usage = |reason: String| Error::Usage(format!("--compare {what}: {}: {reason}", file.display()));
        let text = std::fs::read_to_string(&file).map_err(|error| usage(error.to_string()))?;
        let mut records = parse(&text).map_err(&usage)?;
        // The curves of a device have other sizes.
        let sizes = file.with_file_name(format!("{}-sizes.json", results::short_name(stage)));
        if file.file_stem().is_some_and(|stem| stem == results::short_name(stage))
            && let Ok(text) = std::fs::read_to_string(&sizes)
        {
            records.extend(parse(&text).map_err(|reason| usage(format!("{}: {reason}", sizes.display())))?);
        }
        if records.is_empty() {
            return Err(usage("there is no record in it".into()));
        }
        Ok(Self { file, records })
    }

    /// Returns the record of a kernel at a size: with this launch shape, else the fastest, else the first. What the emulator
    /// counts and estimates is compared for each launch or step, whatever their number.
    fn matching(&self, plan: &Plan, is_emulated: bool) -> Result<&Recorded, String> {
        let of_kernel: Vec<_> = {
            let wanted = (plan.rung.kernel, Language::from_plan(plan));
            self.records.iter().filter(|record| (record.kernel.as_str(), record.language) == wanted).collect()
        };
        if of_kernel.is_empty() {
            return Err("Not recorded".into());
        }
        let same_size = |record: &&Recorded| {
            let parameters = record.parameters.clone().unwrap_or_default();
            let has_steps = is_emulated || record.steps == plan.size.steps;
            has_steps && (record.size, parameters) == (plan.size.n, plan.size.parameters.clone())
        };
        let of_size: Vec<_> = of_kernel.iter().copied().filter(same_size).collect();
        let config = plan.config();
        let same_shape =
            |record: &&Recorded| (record.grid, record.block) == (config.grid_dim.into(), config.block_dim.into());
        let median = |record: &&Recorded| record.time_ms.map_or(f64::INFINITY, |time| time.median);
        let fastest = || of_size.iter().copied().min_by(|a, b| median(a).total_cmp(&median(b)));
        let found = of_size.iter().copied().find(same_shape).or_else(fastest);
        found.ok_or_else(|| not_recorded(plan, of_kernel))
    }

    /// Returns the comparison as tables, and below them the kernels that cannot be compared, with the reason.
    #[must_use]
    pub fn render(&self, outcomes: &[Outcome]) -> String {
        let mut rows = Vec::new();
        let mut reasons = Vec::new();
        for outcome in outcomes {
            match self.matching(&outcome.run.plan, outcome.run.counters.is_some()) {
                Ok(record) => rows.push(Row { name: name(outcome, outcomes), outcome, record }),
                Err(reason) => {
                    let kernel = outcome.run.plan.name();
                    match reasons.iter_mut().find(|(other, _)| *other == reason) {
                        None => reasons.push((reason, vec![kernel])),
                        Some((_, kernels)) if !kernels.contains(&kernel) => kernels.push(kernel),
                        Some(_) => {}
                    }
                }
            }
        }
        let mut text = self.title() + "\n" + &tables(&rows);
        for (reason, kernels) in reasons {
            text += &format!("{reason}:\n{}\n", name_lines(&kernels).join("\n"));
        }
        text
    }

    /// Returns the title: the recorded devices with their dates, and the files.
    fn title(&self) -> String {
        let mut devices: Vec<(&str, Vec<&str>)> = Vec::new();
        for record in &self.records {
            let day = record.date.split('T').next().unwrap_or_default();
            match devices.iter_mut().find(|(device, _)| *device == record.device) {
                None => devices.push((&record.device, vec![day])),
                Some((_, days)) if !days.contains(&day) => days.push(day),
                Some(_) => {}
            }
        }
        let devices = devices.iter().map(|(device, days)| format!("{device}, {}", days.join(", ")));
        let devices = devices.collect::<Vec<_>>().join("; ");
        format!("Recorded on {devices} ({})", self.file.display())
    }
}

/// Returns the reason why a kernel has no record at the size of a plan, with the sizes that have one.
fn not_recorded(plan: &Plan, mut of_kernel: Vec<&Recorded>) -> String {
    of_kernel.sort_by_key(|record| record.size);
    let mut sizes: Vec<String> = of_kernel.iter().map(|record| record.describe_size(plan)).collect();
    sizes.dedup();
    let recorded = match &sizes[..] {
        [least, _, .., most] => format!("{} sizes from {least} to {most}", sizes.len()),
        _ => sizes.join("; "),
    };
    format!("Not recorded at {}, but at {recorded}", plan.describe_size())
}

/// Returns the file of a `--compare` option.
fn find(stage: &Stage, what: &str) -> Result<PathBuf, Error> {
    let file = Path::new(what);
    if file.is_file() {
        return Ok(file.to_owned());
    }
    let Some(folder) = results::folder(stage) else {
        return Err(Error::Usage(format!("--compare {what}: there is no such file, and no folder results/")));
    };
    let recorded = folder.join(what).join(format!("{}.json", results::short_name(stage)));
    if let Some(recorded) = [recorded, results::of_community(&folder, what)].into_iter().find(|file| file.is_file()) {
        return Ok(recorded);
    }
    let devices = results::devices(&folder);
    let known = if devices.is_empty() { "none".into() } else { devices.join(", ") };
    let reason = if devices.iter().any(|device| device == what) {
        format!("there is no recorded run of {} in {}", stage.name, folder.join(what).display())
    } else {
        format!("there is no such file, and no such device in {}; recorded devices: {known}", folder.display())
    };
    Err(Error::Usage(format!("--compare {what}: {reason}")))
}

#[cfg(test)]
mod tests;
