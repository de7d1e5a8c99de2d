//! The tables of a comparison: times with times, counts with counts, and recorded times with estimates.

use crate::format::{DASH, factor, milliseconds};
use crate::outcome::Outcome;
use crate::recorded::Recorded;
use crate::report::data::steps::global_bytes;
use crate::report::print::Table;
use crate::report::table::cells::shape;
use crate::timing::Timing;
use emulator::Counters;
use predict::RunEstimate;

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
}

impl Comparison {
    const ALL: [Self; 3] = [Self::Times, Self::Counts, Self::Estimates];

    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Times => &COLUMNS_OF_TIMES,
            Self::Counts => &COLUMNS_OF_COUNTS,
            Self::Estimates => &COLUMNS_OF_ESTIMATES,
        }
    }
}

/// The columns on a GPU. The ratio is above 1 if this run is faster.
pub const COLUMNS_OF_TIMES: [&str; 6] = ["kernel", "grid x block", "time", "recorded", "recorded/now", "verdict"];

/// The columns on the emulator, if the record has counts. The ratios, of recorded counts by those of this run, are above 1 if this
/// run needs less.
pub const COLUMNS_OF_COUNTS: [&str; 6] = ["kernel", "grid x block", "sectors", "instructions", "recorded", "verdict"];

/// The columns on the emulator, if the record has a time and no counts.
pub const COLUMNS_OF_ESTIMATES: [&str; 5] = ["kernel", "grid x block", "ESTIMATED", "recorded", "verdict"];

/// Returns the tables, one for each kind of comparison, and a line about estimates.
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
    text
}

impl Row<'_> {
    /// Returns which sides are compared, and the cells.
    pub fn cells(&self) -> (Comparison, Vec<String>) {
        let name = self.name.clone();
        let now = shape(self.outcome);
        let time = |timing: Option<Timing>| timing.map_or(DASH.into(), |timing| milliseconds(timing.median));
        let timing = self.outcome.run.timing;
        let recorded = self.record.time_ms;
        match (&self.outcome.run.counters, &self.record.counters) {
            (Some(_), None) => {
                let [estimated, recorded, verdict] = self.estimate_cells();
                (Comparison::Estimates, vec![name, now, estimated, self.in_shape(recorded), verdict])
            }
            (Some(counters), Some(counted)) => {
                let [bytes, instructions, verdict] = count_cells(counters, counted);
                (Comparison::Counts, vec![name, now, bytes, instructions, self.in_shape(time(recorded)), verdict])
            }
            (None, _) => {
                let (ratio, verdict) = match (timing, recorded) {
                    (Some(own), Some(other)) => (factor(other.median / own.median), verdict(&own, &other)),
                    (None, _) => (DASH.into(), "no time: wrong results"),
                    (_, None) => (DASH.into(), "recorded without time"),
                };
                let cells = vec![name, now, time(timing), self.in_shape(time(recorded)), ratio, verdict.into()];
                (Comparison::Times, cells)
            }
        }
    }

    /// Returns a recorded time, with the launch shape of the record if it is another one.
    fn in_shape(&self, time: String) -> String {
        let shape_then = self.record.shape();
        if shape_then == shape(self.outcome) { time } else { format!("{time} at {shape_then}") }
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
            (Some(_), Some(_)) => "another shape",
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
