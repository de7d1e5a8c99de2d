//! `--compare`: a recorded run beside this one.

use super::format::{DASH, milliseconds, render_lines, three_digits};
use super::results;
use super::steps::global_bytes;
use super::table::name;
use crate::error::Error;
use crate::plan::Plan;
use crate::problem::{Parameters, Size};
use crate::session::Outcome;
use crate::stage::Stage;
use crate::timing::Timing;
use emulator::Counters;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A recorded run.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Where it was read.
    file: PathBuf,
    records: Vec<Recorded>,
}

/// What a comparison needs of a [`super::Record`], so that those of earlier versions can be read too.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Recorded {
    kernel: String,
    #[serde(default)]
    in_rust: bool,
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

/// Of two times, which is the better. Both are of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Faster,
    Slower,
    /// The medians differ by less than [`SAME_WITHIN`].
    Same,
    /// The slowest run of the faster one is as slow as the fastest run of the slower one.
    SameWithinNoise,
}

/// Times that differ by less than this share are the same: clocks and temperature alone change them so much from one
/// run of the program to the next, which the spread of the runs does not show.
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
    /// Reads `what`: a file of records (an array, or one per line), or the name of a folder in `results/`.
    ///
    /// # Errors
    /// [`Error::Usage`], naming the file and what is wrong with it.
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

    /// The record of a kernel at a size: of this launch shape, else the fastest, else the first.
    fn matching(&self, plan: &Plan) -> Result<&Recorded, String> {
        let of_kernel: Vec<_> = {
            let wanted = (plan.rung.kernel, plan.in_rust);
            self.records.iter().filter(|record| (record.kernel.as_str(), record.in_rust) == wanted).collect()
        };
        if of_kernel.is_empty() {
            return Err("this kernel is not recorded".into());
        }
        let same_size = |record: &&Recorded| {
            let parameters = record.parameters.clone().unwrap_or_default();
            (record.size, record.steps, parameters) == (plan.size.n, plan.size.steps, plan.size.parameters.clone())
        };
        let of_size: Vec<_> = of_kernel.iter().copied().filter(same_size).collect();
        let config = plan.config();
        let same_shape =
            |record: &&Recorded| (record.grid, record.block) == (config.grid_dim.into(), config.block_dim.into());
        let median = |record: &&Recorded| record.time_ms.map_or(f64::INFINITY, |time| time.median);
        let fastest = || of_size.iter().copied().min_by(|a, b| median(a).total_cmp(&median(b)));
        of_size.iter().copied().find(same_shape).or_else(fastest).ok_or_else(|| {
            let sizes: Vec<String> = of_kernel.iter().map(|record| record.describe_size(plan)).collect();
            format!("not recorded at {}, but at {}", plan.describe_size(), sizes.join("; "))
        })
    }

    /// The comparison as a table with a title, and what could not be compared below it.
    #[must_use]
    pub fn render(&self, outcomes: &[Outcome]) -> String {
        let counted = outcomes.iter().all(|outcome| outcome.timing.is_none());
        let (mut lines, mut remarks) = (Vec::new(), Vec::new());
        for outcome in outcomes {
            match self.matching(&outcome.plan) {
                Ok(record) => lines.push(line(name(outcome, outcomes), outcome, record, counted)),
                Err(remark) => remarks.push(format!("{}: {remark}", outcome.plan.name())),
            }
        }
        remarks.dedup();
        let columns = if counted { COLUMNS_OF_COUNTS } else { COLUMNS_OF_TIMES };
        let mut text = self.title() + "\n";
        if !lines.is_empty() {
            text += &render_lines(&columns, &lines);
        }
        text + &remarks.iter().map(|remark| format!("{remark}\n")).collect::<String>()
    }

    /// Where the records come from, each device once.
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
        format!("{}x{}", self.grid.iter().product::<u32>(), self.block.iter().product::<u32>())
    }
}

/// On a GPU. The ratio is above 1 where this run is the faster.
const COLUMNS_OF_TIMES: [&str; 7] =
    ["kernel", "grid x\nblock", "time\nnow", "recorded\nshape", "time\nrecorded", "recorded\n/ now", "verdict"];

/// On the emulator. The ratio is above 1 where this run has fewer. A recorded time has no counterpart, so no ratio.
const COLUMNS_OF_COUNTS: [&str; 7] = [
    "kernel",
    "grid x\nblock",
    "global bytes\nrec. / now",
    "warp instr.\nrec. / now",
    "recorded\nshape",
    "GPU time\nrecorded",
    "verdict",
];

fn line(name: String, outcome: &Outcome, record: &Recorded, counted: bool) -> Vec<String> {
    let (plan, dash) = (&outcome.plan, || DASH.to_owned());
    let time = |timing: Option<Timing>| timing.map_or(dash(), |timing| milliseconds(timing.median));
    let shape = format!("{}x{}", plan.grid, plan.block);
    if let Some(counters) = outcome.counters.as_ref().filter(|_| counted) {
        let [bytes, instructions, verdict] = count_cells(counters, record.counters.as_ref());
        return vec![name, shape, bytes, instructions, record.shape(), time(record.time_ms), verdict];
    }
    let (ratio, verdict) = match (outcome.timing, record.time_ms) {
        (Some(now), Some(then)) => {
            (format!("{}x", three_digits(then.median / now.median)), Verdict::of(&now, &then).text())
        }
        (None, _) => (dash(), "no time: wrong results"),
        (_, None) => (dash(), "recorded without time"),
    };
    let times = [time(outcome.timing), record.shape(), time(record.time_ms)];
    [name, shape].into_iter().chain(times).chain([ratio, verdict.into()]).collect()
}

fn count_cells(now: &Counters, then: Option<&Counters>) -> [String; 3] {
    let Some(then) = then else { return [DASH.into(), DASH.into(), DASH.into()] };
    let ratio = |then: u64, now: u64| match now {
        0 => DASH.into(),
        _ => format!("{}x", three_digits(then as f64 / now as f64)),
    };
    [
        ratio(global_bytes(then), global_bytes(now)),
        ratio(then.warp_instructions, now.warp_instructions),
        if now == then { "same counts".into() } else { "counts differ".into() },
    ]
}

/// The file that `what` names.
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

/// An array of records, or one record a line.
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
