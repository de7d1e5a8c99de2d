//! `--compare`: this run compared with a recorded one.

use super::cells::{name, shape};
use super::drawing::Table;
use super::format::{DASH, factor, milliseconds};
use super::language::Language;
use super::results;
use super::steps::global_bytes;
use crate::error::Error;
use crate::problem::{Parameters, Size};
use crate::session::Outcome;
use crate::stage::{Plan, Stage};
use crate::thousands::thousands;
use crate::timing::Timing;
use emulator::Counters;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A recorded run.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The file with the records.
    file: PathBuf,
    records: Vec<Recorded>,
}

/// The fields of a [`super::Record`] that a comparison needs; records of earlier versions have them too.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Recorded {
    kernel: String,
    #[serde(alias = "in_rust", default, deserialize_with = "Language::of_any_record")]
    language: Language,
    size: usize,
    steps: Option<u32>,
    #[serde(alias = "slice", default)]
    parameters: Option<Parameters>,
    grid: [u32; 3],
    block: [u32; 3],
    device: String,
    date: String,
    time_ms: Option<Timing>,
    counters: Option<Counters>,
}

/// The result of comparing two times, each of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Faster,
    Slower,
    /// The medians differ by less than [`SAME_WITHIN`].
    Same,
    /// The ranges of the runs overlap.
    SameWithinNoise,
}

/// Times that differ by less than this share count as the same: clock and temperature change them by as much from one run of
/// the program to the next, which the spread within a run does not show.
const SAME_WITHIN: f64 = 0.01;

impl Verdict {
    fn of(now: &Timing, then: &Timing) -> Self {
        if (now.median - then.median).abs() < SAME_WITHIN * then.median {
            Self::Same
        } else if now.high < then.low {
            Self::Faster
        } else if then.high < now.low {
            Self::Slower
        } else {
            Self::SameWithinNoise
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::SameWithinNoise => "same within noise",
        }
    }
}

impl Recording {
    /// Reads a file of records (an array, or one record per line), or a folder of `results/` by its name.
    ///
    /// # Errors
    /// [`Error::Usage`] with the file and the reason.
    pub fn open(stage: &Stage, what: &str) -> Result<Self, Error> {
        let file = find(stage, what)?;
        let usage = |reason: String| Error::Usage(format!("--compare {what}: {}: {reason}", file.display()));
        let text = std::fs::read_to_string(&file).map_err(|error| usage(error.to_string()))?;
        let records = parse(&text).map_err(&usage)?;
        if records.is_empty() {
            return Err(usage("there is no record in it".into()));
        }
        Ok(Self { file, records })
    }

    /// Returns the record of a kernel at a size: with this launch shape, else the fastest, else the first. Counts are of one
    /// launch, so they are compared whatever the number of steps.
    fn matching(&self, plan: &Plan, by_counts: bool) -> Result<&Recorded, String> {
        let of_kernel: Vec<_> = {
            let wanted = (plan.rung.kernel, Language::of(plan));
            self.records.iter().filter(|record| (record.kernel.as_str(), record.language) == wanted).collect()
        };
        if of_kernel.is_empty() {
            return Err("this kernel is not recorded".into());
        }
        let same_size = |record: &&Recorded| {
            let parameters = record.parameters.clone().unwrap_or_default();
            let has_steps = by_counts || record.steps == plan.size.steps;
            has_steps && (record.size, parameters) == (plan.size.n, plan.size.parameters.clone())
        };
        let of_size: Vec<_> = of_kernel.iter().copied().filter(same_size).collect();
        let config = plan.config();
        let same_shape =
            |record: &&Recorded| (record.grid, record.block) == (config.grid_dim.into(), config.block_dim.into());
        let median = |record: &&Recorded| record.time_ms.map_or(f64::INFINITY, |time| time.median);
        let fastest = || of_size.iter().copied().min_by(|a, b| median(a).total_cmp(&median(b)));
        of_size.iter().copied().find(same_shape).or_else(fastest).ok_or_else(|| {
            let sizes: Vec<String> = of_kernel.iter().map(|record| record.describe_size(plan)).collect();
            let other = format!("not recorded at {}, but at {}", plan.describe_size(), sizes.join("; "));
            let published = of_kernel.iter().any(|record| record.size == plan.facts().n);
            if published && plan.size.n == plan.facts().emulated_n { other + " (--full-size)" } else { other }
        })
    }

    /// Returns the comparison as a table, and below it a line for each kernel that cannot be compared.
    #[must_use]
    pub fn render(&self, outcomes: &[Outcome]) -> String {
        let compared_by_counts = outcomes.iter().all(|outcome| outcome.timing.is_none());
        let (mut lines, mut remarks) = (Vec::new(), Vec::new());
        for outcome in outcomes {
            match self.matching(&outcome.plan, compared_by_counts) {
                Ok(record) => lines.push(line(name(outcome, outcomes), outcome, record, compared_by_counts)),
                Err(remark) => remarks.push(format!("{}: {remark}", outcome.plan.name())),
            }
        }
        remarks.dedup();
        let columns: &[&str] = if compared_by_counts { &COLUMNS_OF_COUNTS } else { &COLUMNS_OF_TIMES };
        let table = Table::of_rows(self.title(), columns, &lines).without_missing();
        let mut text = if lines.is_empty() { self.title() + "\n" } else { table.render() };
        if compared_by_counts && self.records.iter().all(|record| record.counters.is_none()) {
            text += "These records have times and no counts; --compare emulator compares counts.\n";
        }
        text + &remarks.iter().map(|remark| format!("{remark}\n")).collect::<String>()
    }

    /// Returns the title: the recorded devices with their dates.
    fn title(&self) -> String {
        let mut devices: Vec<String> = Vec::new();
        for record in &self.records {
            let day = record.date.split('T').next().unwrap_or_default();
            let device = format!("{}, {day}", record.device);
            if !devices.contains(&device) {
                devices.push(device);
            }
        }
        format!("Recorded on {} ({})", devices.join("; "), self.file.display())
    }
}

impl Recorded {
    fn describe_size(&self, plan: &Plan) -> String {
        let parameters = self.parameters.clone().unwrap_or_default();
        plan.facts().describe_size(&Size { n: self.size, steps: self.steps, seed: plan.size.seed, parameters })
    }

    fn shape(&self) -> String {
        let (blocks, threads) = (self.grid.iter().product::<u32>(), self.block.iter().product::<u32>());
        format!("{} x {threads}", thousands(blocks.into()))
    }
}

/// The columns on a GPU. The ratio is above 1 if this run is faster.
const COLUMNS_OF_TIMES: [&str; 7] =
    ["kernel", "grid x block", "time", "recorded shape", "recorded time", "recorded / now", "verdict"];

/// The columns on the emulator. The ratios are above 1 if this run needs less. Recorded times have no counterpart, and so
/// no ratio.
const COLUMNS_OF_COUNTS: [&str; 7] = [
    "kernel",
    "grid x block",
    "recorded / now, sectors",
    "recorded / now, instructions",
    "recorded shape",
    "recorded time",
    "verdict",
];

fn line(name: String, outcome: &Outcome, record: &Recorded, by_counts: bool) -> Vec<String> {
    let time = |timing: Option<Timing>| timing.map_or(DASH.into(), |timing| milliseconds(timing.median));
    let (now, then) = (shape(outcome), record.shape());
    if by_counts {
        let cells = outcome.counters.as_ref().map(|counters| count_cells(counters, record.counters.as_ref()));
        let [bytes, instructions, verdict] = cells.unwrap_or_else(|| [DASH, DASH, DASH].map(Into::into));
        return vec![name, now, bytes, instructions, then, time(record.time_ms), verdict];
    }
    let (ratio, verdict) = match (outcome.timing, record.time_ms) {
        (Some(now), Some(then)) => (factor(then.median / now.median), Verdict::of(&now, &then).text()),
        (None, _) => (DASH.into(), "no time: wrong results"),
        (_, None) => (DASH.into(), "recorded without time"),
    };
    vec![name, now, time(outcome.timing), then, time(record.time_ms), ratio, verdict.into()]
}

fn count_cells(now: &Counters, then: Option<&Counters>) -> [String; 3] {
    let Some(then) = then else { return [DASH.into(), DASH.into(), DASH.into()] };
    let ratio = |then: u64, now: u64| match now {
        0 => DASH.into(),
        _ => factor(then as f64 / now as f64),
    };
    [
        ratio(global_bytes(then), global_bytes(now)),
        ratio(then.warp_instructions, now.warp_instructions),
        if now == then { "same counts".into() } else { "counts differ".into() },
    ]
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
    let short_name = stage.name.split('-').next().unwrap_or(stage.name);
    let recorded = folder.join(what).join(format!("{short_name}.json"));
    if recorded.is_file() {
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

/// Parses an array of records, or one record per line.
fn parse(text: &str) -> Result<Vec<Recorded>, String> {
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).map_err(|error| format!("not an array of records: {error}"));
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let record = |(index, line)| {
        serde_json::from_str(line).map_err(|error| format!("line {} is not a record: {error}", index + 1))
    };
    lines.map(record).collect()
}

#[cfg(test)]
mod tests;
