//! The tables of a comparison: times with times, counts with counts, and recorded times with estimates.

use super::recorded::Recorded;
use crate::format::{DASH, factor, milliseconds};
use crate::outcome::Outcome;
use crate::report::data::steps::global_bytes;
use crate::report::print::Table;
use crate::report::table::cells::shape;
use crate::timing::Timing;
use cuda_cpp::Assembler;
use emulator::Counters;
use predict::{RunEstimate, Way, two_digits};

/// A run with the record that it is compared with.
pub struct Row<'a> {
    /// The kernel's name in the table.
    pub name: String,
    pub outcome: &'a Outcome<'a>,
    pub record: &'a Recorded,
}

/// The sides that a row compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Times,
    Counts,
    /// The recorded time, with the one that is estimated of the emulated launch.
    Estimates,
    /// The recorded time of the kernel as it was shipped, and what an edit makes of it.
    Edits,
}

impl Comparison {
    const ALL: [Self; 4] = [Self::Times, Self::Counts, Self::Estimates, Self::Edits];

    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Times => &COLUMNS_OF_TIMES,
            Self::Counts => &COLUMNS_OF_COUNTS,
            Self::Estimates => &COLUMNS_OF_ESTIMATES,
            Self::Edits => &COLUMNS_OF_EDITS,
        }
    }
}

/// The columns on a GPU. The ratio is above 1 if this run is faster.
pub const COLUMNS_OF_TIMES: [&str; 7] =
    ["kernel", "grid x block", "time", "recorded shape", "recorded time", "recorded / now", "verdict"];

/// The columns on the emulator, if the record has counts. The ratios are above 1 if this run needs less.
pub const COLUMNS_OF_COUNTS: [&str; 7] = [
    "kernel",
    "grid x block",
    "recorded / now, sectors",
    "recorded / now, instructions",
    "recorded shape",
    "recorded time",
    "verdict",
];

/// The columns on the emulator, if the record has a time and no counts.
pub const COLUMNS_OF_ESTIMATES: [&str; 6] =
    ["kernel", "grid x block", "recorded shape", "ESTIMATED time", "recorded time", "verdict"];

/// The columns of kernels that were edited since they were recorded, on the emulator.
pub const COLUMNS_OF_EDITS: [&str; 5] =
    ["kernel", "grid x block", "recorded time", "ESTIMATED after the edit", "verdict"];

/// Returns the tables, one for each kind of comparison, and lines about estimates.
pub fn tables(rows: &[Row<'_>]) -> String {
    let compared: Vec<(Comparison, Vec<String>)> = rows.iter().map(Row::cells).collect();
    let has = |comparison| compared.iter().any(|(other, _)| *other == comparison);
    let table = |comparison: Comparison| {
        let lines = compared.iter().filter(|(other, _)| *other == comparison);
        let lines: Vec<Vec<String>> = lines.map(|(_, cells)| cells.clone()).collect();
        let table = || Table::from_rows("", comparison.columns(), &lines).without_missing();
        if lines.is_empty() { String::new() } else { table().render().trim_start_matches('\n').to_owned() }
    };
    let mut text: String = Comparison::ALL.into_iter().map(table).collect();
    if has(Comparison::Estimates) {
        text += "Recorded times were measured, and the emulator has none; --compare emulator compares counts.\n";
    }
    if has(Comparison::Edits) {
        text += "After an edit: the recorded time, multiplied by the ratio of the estimates from both machine codes.\n";
    }
    let reasons = rows.iter().filter_map(|row| Some((row, row.edit().err()??)));
    text.extend(
        reasons.map(|(row, reason)| format!("{} was edited, but is not compared as such: {reason}.\n", row.name)),
    );
    text
}

/// The recorded time of a kernel before it was edited, in milliseconds, and what the edit is estimated to change.
#[derive(Clone, Copy, Debug)]
pub struct Edit {
    recorded: f64,
    /// The estimate of the edited kernel, divided by that of the kernel as it was shipped.
    ratio: f64,
}

/// The ratio of two estimates of one launch below which an edit changes nothing that they show. From machine code, the recorded
/// time of a kernel in CUDA C++ multiplied by such a ratio gives that of its Rust version, for nine in ten of 37 pairs, within 8 %
/// (`book/estimates-machine-code.json`).
const CLEAR: f64 = 1.08;

impl Edit {
    fn estimated_text(self) -> String {
        format!("about {}", milliseconds(two_digits(self.recorded * self.ratio)))
    }

    fn verdict(self) -> String {
        match self.ratio {
            ratio if ratio.max(1.0 / ratio) < CLEAR => "about the same".into(),
            ratio if ratio < 1.0 => format!("about {}x faster", two_digits(1.0 / ratio)),
            ratio => format!("about {}x slower", two_digits(ratio)),
        }
    }
}

/// The reason if the machine code cannot be followed.
const NOT_FOLLOWED: &str = "its machine code has branches or addresses that depend on computed values";
/// The reason without ptxas: from PTX alone, the recorded time multiplied by a ratio is no better a guess than the recorded time
/// itself.
const WITHOUT_PTXAS: &str = "its estimate is from PTX, which does not show what ptxas makes of an edit \
                                    (`cargo learn ptxas` fetches ptxas, 44 MB)";

impl Row<'_> {
    /// Returns the comparison of an edited kernel with its record.
    ///
    /// # Errors
    /// The reason if there is none; no reason if the kernel was not edited, or is not compared with a time.
    fn edit(&self) -> Result<Edit, Option<String>> {
        let (Some(shipped), Some(own)) = (&self.outcome.shipped, &self.outcome.estimate) else { return Err(None) };
        let recorded = self.record.time_ms.ok_or(None)?.median;
        let shipped = shipped.as_ref().map_err(|reason| Some(reason.clone()))?;
        let own = own.as_ref().map_err(|_| None)?;
        if shape(self.outcome) != self.record.shape() {
            return Err(Some("it has another launch shape".into()));
        }
        let rung = self.outcome.run.plan.rung;
        let in_rust = self.outcome.run.plan.in_rust;
        if self.record.kernel_sha256.as_deref() != Some(&rung.version(in_rust)) {
            return Err(Some("the record is of another version of the kernel".into()));
        }
        if own.way != Way::MachineCode || shipped.way != Way::MachineCode {
            let has_ptxas = Assembler::find().is_some();
            return Err(Some(if has_ptxas { NOT_FOLLOWED } else { WITHOUT_PTXAS }.into()));
        }
        Ok(Edit { recorded, ratio: own.nanoseconds as f64 / shipped.nanoseconds as f64 })
    }

    /// Returns which sides are compared, and the cells.
    pub fn cells(&self) -> (Comparison, Vec<String>) {
        let name = self.name.clone();
        let now = shape(self.outcome);
        let then = self.record.shape();
        let time = |timing: Option<Timing>| timing.map_or(DASH.into(), |timing| milliseconds(timing.median));
        let timing = self.outcome.run.timing;
        let recorded = self.record.time_ms;
        match (&self.outcome.run.counters, &self.record.counters) {
            (Some(_), None) if let Ok(edit) = self.edit() => {
                let cells = vec![name, now, milliseconds(edit.recorded), edit.estimated_text(), edit.verdict()];
                (Comparison::Edits, cells)
            }
            (Some(_), None) => {
                let [estimated, recorded, verdict] = self.estimate_cells();
                (Comparison::Estimates, vec![name, now, then, estimated, recorded, verdict])
            }
            (Some(counters), Some(counted)) => {
                let [bytes, instructions, verdict] = count_cells(counters, counted);
                (Comparison::Counts, vec![name, now, bytes, instructions, then, time(recorded), verdict])
            }
            (None, _) => {
                let (ratio, verdict) = match (timing, recorded) {
                    (Some(own), Some(other)) => (factor(other.median / own.median), verdict(&own, &other)),
                    (None, _) => (DASH.into(), "no time: wrong results"),
                    (_, None) => (DASH.into(), "recorded without time"),
                };
                let cells = vec![name, now, time(timing), then, time(recorded), ratio, verdict.into()];
                (Comparison::Times, cells)
            }
        }
    }

    /// Returns the estimated time, the recorded one and the verdict: of a step, if the numbers of steps differ.
    fn estimate_cells(&self) -> [String; 3] {
        let now = self.outcome.run.plan.size.steps;
        let then = self.record.steps;
        let (now, then, suffix) = match (now, then) {
            (Some(now), Some(then)) if now != then => (now, then, " a step"),
            _ => (1, 1, ""),
        };
        let estimate = self.outcome.estimate.as_ref().and_then(|estimate| estimate.as_ref().ok());
        let estimate = estimate.map(|estimate| per_step(estimate, now));
        let recorded = self.record.time_ms.map(|timing| timing.median / f64::from(then));
        let has_shape = shape(self.outcome) == self.record.shape();
        let verdict = match (&estimate, recorded) {
            (Some(estimate), Some(recorded)) if has_shape => place(estimate, recorded),
            (Some(_), Some(_)) => "another launch shape",
            _ => DASH,
        };
        let with_suffix = |text: Option<String>| text.map_or(DASH.into(), |text| text + suffix);
        let estimated = estimate.as_ref().map(RunEstimate::band_text);
        [with_suffix(estimated), with_suffix(recorded.map(milliseconds)), verdict.into()]
    }
}

fn per_step(estimate: &RunEstimate, steps: u32) -> RunEstimate {
    let steps = u64::from(steps.max(1));
    let (low, high) = estimate.band;
    let band = (low / steps, high / steps);
    let nanoseconds = estimate.nanoseconds / steps;
    RunEstimate { cycles: estimate.cycles / steps, nanoseconds, band, ..estimate.clone() }
}

/// Returns the place of a measured time, in milliseconds, in the band of an estimate.
fn place(estimate: &RunEstimate, recorded: f64) -> &'static str {
    let (low, high) = estimate.band;
    match recorded * 1e6 {
        nanoseconds if nanoseconds < low as f64 => "below the estimate",
        nanoseconds if nanoseconds > high as f64 => "above the estimate",
        _ => "in the estimate",
    }
}

fn count_cells(now: &Counters, then: &Counters) -> [String; 3] {
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

/// Times that differ by less than this share count as the same: clock and temperature change them by as much from one run of
/// the program to the next, which the spread within a run does not show.
const SAME_WITHIN: f64 = 0.01;

/// Returns the result of comparing two times, each of several runs.
pub fn verdict(now: &Timing, then: &Timing) -> &'static str {
    if (now.median - then.median).abs() < SAME_WITHIN * then.median {
        "same"
    } else if now.high < then.low {
        "faster"
    } else if then.high < now.low {
        "slower"
    } else {
        // The ranges of the runs overlap.
        "same within noise"
    }
}
