//! The texts of single cells.

use crate::ceilings::{CountedBy, Unit};
use crate::columns::Column;
use crate::format::{self, DASH, factor, milliseconds, percent, plural, ratio, thousands, three_digits};
use crate::kernel::PREBUILT;
use crate::outcome::{Outcome, Time, TimeSource};
use crate::report::data::steps::{Quantity, compare, global_bytes, is_same, rung_below, step_bytes};
use crate::report::data::view::View;
use crate::stage::Rung;
use emulator::{Counters, WARP_SIZE};
use predict::{Way, two_digits};

/// The tutorial's loop on this CPU, as two rows below the kernels.
pub fn cpu_cells(column: Column, group: &[Outcome], is_timed: bool) -> Vec<String> {
    let has_times = group.iter().any(|outcome| outcome.timing().is_some());
    let Some(cpu) = group[0].cpu.as_ref().filter(|_| is_timed && has_times) else { return Vec::new() };
    let scaled = if cpu.scaled_from.is_some() { ", scaled" } else { "" };
    let rows = [(1, cpu.serial_ms), (cpu.threads, cpu.parallel_ms)];
    let rows = rows.into_iter().take(if cpu.threads > 1 { 2 } else { 1 });
    rows.map(|(threads, time)| match column {
        Column::Kernel => plural(threads, "CPU thread") + scaled,
        Column::Time => milliseconds(time),
        Column::VersusCpu => factor(cpu.serial_ms / time),
        _ => String::new(),
    })
    .collect()
}

/// `B  periodic N-body, 4,096 bodies, 1,000 steps`
pub fn title(outcome: &Outcome) -> String {
    let facts = outcome.run.plan.facts();
    format!("{}  {}, {}", facts.letter, facts.title, outcome.run.plan.describe_size())
}

/// Returns the rows of each table.
pub fn groups<'o, 'a>(rows: &'o [Outcome<'a>]) -> impl Iterator<Item = &'o [Outcome<'a>]> {
    rows.chunk_by(|one, next| title(one) == title(next))
}

/// Returns whether the counts are of one of several steps.
pub fn is_of_one_step(outcome: &Outcome) -> bool {
    outcome.counters().is_some() && outcome.run.plan.size.step_count() > 1
}

/// The kernel's name; `in Rust` below the row of the same kernel in CUDA C++.
pub fn name(outcome: &Outcome, rows: &[Outcome]) -> String {
    let kernel = outcome.run.plan.rung.kernel;
    let has_row = |other: &Outcome| !other.run.plan.in_rust && other.run.plan.rung.kernel == kernel;
    let is_below = outcome.run.plan.in_rust && rows.iter().any(has_row);
    if is_below { "  in Rust".into() } else { kernel.into() }
}

/// `131,072 x 128`
pub fn shape(outcome: &Outcome) -> String {
    format!("{} x {}", thousands(outcome.run.plan.grid.into()), outcome.run.plan.block)
}

/// The number of the stage that introduces a kernel: `1` of `stage01-naive`.
pub fn stage_of(rung: &Rung) -> Option<String> {
    let digits = rung.stage().strip_prefix("stage")?.split('-').next()?;
    digits.parse::<u32>().ok().map(|number| number.to_string())
}

/// `0.892 ms`, or `~0.9-1.2 ms` of an estimate.
pub fn time(time: &Time) -> String {
    let &Time { source, milliseconds, low, high, .. } = time;
    if source == TimeSource::Estimated { format!("~{}", band(low, high)) } else { format::milliseconds(milliseconds) }
}

/// Returns where the times of a table are from, and the counts of one with measured times.
pub fn sources(group: &[Outcome]) -> String {
    let times: Vec<Time> = group.iter().filter_map(Outcome::time).collect();
    let of = |source: TimeSource| {
        let found = times.iter().find(|time| time.source == source)?;
        Some(format!("an {}", found.gpu.as_ref()?.trim_start_matches("NVIDIA ")))
    };
    let estimated = || format!("ESTIMATED from {}", ways(group));
    if times.iter().any(|time| time.source == TimeSource::Measured) {
        let is_recorded = |outcome: &Outcome| outcome.run.counters.is_none() && outcome.counters().is_some();
        return if group.iter().any(is_recorded) { "times measured, counts recorded" } else { "times measured" }.into();
    }
    match (of(TimeSource::Recorded), of(TimeSource::Estimated)) {
        (Some(gpu), None) => format!("times recorded on {gpu}"),
        (Some(gpu), Some(_)) => format!("times recorded on {gpu}; ~ {}", estimated()),
        (None, Some(gpu)) => format!("times of {gpu}, ~ {}", estimated()),
        (None, None) => String::new(),
    }
}

/// Returns what the estimates of a group were made from, in words.
fn ways(group: &[Outcome]) -> &'static str {
    let all =
        || group.iter().filter_map(|outcome| outcome.estimate.as_ref()?.as_ref().ok()).map(|estimate| estimate.way);
    let is_some = |way: Way| all().any(|other| other == way);
    match (is_some(Way::MachineCode), is_some(Way::Ptx)) {
        (true, true) => "machine code and PTX",
        (true, false) => Way::MachineCode.name(),
        (false, _) => Way::Ptx.name(),
    }
}

/// Returns a range of milliseconds with two digits, in the unit of its end.
fn band(low: f64, high: f64) -> String {
    let (unit, name) = match high {
        high if high >= 1e3 => (1e3, "s"),
        high if high >= 1.0 => (1.0, "ms"),
        _ => (1e-3, "µs"),
    };
    format!("{}-{} {name}", two_digits(low / unit), two_digits(high / unit))
}

/// The ratio of two times, of which one is estimated from the PTX, from which on a gain is shown: PTX does not show what ptxas makes
/// of unrolling and order, so that smaller ratios mean nothing.
const CLEAR: f64 = 1.25;

/// The same if estimates are from machine code: about the mean error of those.
const CLEAR_FROM_MACHINE_CODE: f64 = 1.1;

/// Returns the gain in time over the rung below.
pub fn gain(outcome: &Outcome, rows: &[Outcome]) -> String {
    if let Some(below) = compare(outcome, rows).filter(|below| below.of == Quantity::Time) {
        return if is_same(below.ratio) { "same".into() } else { factor(below.ratio) };
    }
    let Some(below) = rung_below(outcome, rows) else { return DASH.into() };
    let Some((before, after)) = below.time().zip(outcome.time()) else { return DASH.into() };
    let ratio = before.milliseconds / after.milliseconds;
    let is_of_ptx = |outcome: &Outcome| matches!(&outcome.estimate, Some(Ok(estimate)) if estimate.way == Way::Ptx);
    let is_rough = [below, outcome].into_iter().any(is_of_ptx);
    let clear = if is_rough { CLEAR } else { CLEAR_FROM_MACHINE_CODE };
    if ratio.max(1.0 / ratio) < clear { "unclear".into() } else { format!("~{}x", two_digits(ratio)) }
}

/// Adds to the gains of a table how many rows up the rung below is, unless it is the row above, and as much room to the others.
pub fn point_up(gains: &mut [String], group: &[Outcome]) {
    let mark = |(row, outcome): (usize, &Outcome)| {
        let base = rung_below(outcome, group).filter(|_| gains[row] != DASH)?;
        let base = group.iter().position(|other| std::ptr::eq(other, base))?;
        row.checked_sub(base).filter(|rows| *rows > 1).map(|rows| format!(" ↑{rows}"))
    };
    let marks: Vec<String> = group.iter().enumerate().map(|row| mark(row).unwrap_or_default()).collect();
    let room = marks.iter().map(|mark| mark.chars().count()).max().unwrap_or(0);
    gains.iter_mut().zip(marks).for_each(|(gain, mark)| *gain = format!("{gain}{mark:<room$}"));
}

/// Returns the instructions of all warps in a step: those of the machine code, which the shares are from, or of the PTX.
pub fn instructions(outcome: &Outcome, rows: &[Outcome]) -> Option<f64> {
    let counters = outcome.counters().filter(|_| !is_smaller(outcome));
    let of_ptx = counters.map(|counters| counters.warp_instructions as f64);
    outcome.instructions().filter(|_| is_of_machine_code(outcome, rows)).or(of_ptx)
}

/// Returns whether a table shows the instructions of machine code: if some are recorded, and no kernel has other code.
fn is_of_machine_code(outcome: &Outcome, rows: &[Outcome]) -> bool {
    let group = || rows.iter().filter(|other| title(other) == title(outcome));
    group().all(|other| other.timing().is_some()) && group().any(|other| other.instructions().is_some())
}

/// Returns why the instructions are not exact; `None` if they are.
pub fn rough_instructions(outcome: &Outcome, rows: &[Outcome]) -> Option<&'static str> {
    match (outcome.instructions(), is_of_machine_code(outcome, rows)) {
        _ if instructions(outcome, rows).is_none() => None,
        (Some(_), true) => None,
        (None, true) => Some(ONLY_PTX),
        _ if is_mean(outcome) => Some(MEAN),
        _ => Some(outcome.run.plan.facts().count_note).filter(|_| outcome.run.plan.launches_of_a_step() > 1),
    }
}

/// Returns the instructions with a mark unless they are exact.
pub fn marked_instructions(outcome: &Outcome, rows: &[Outcome]) -> Option<String> {
    let count = three_digits(instructions(outcome, rows)?);
    Some(mark(rough_instructions(outcome, rows).is_some(), count))
}

/// Reasons why a number is not exact.
pub const ONLY_PTX: &str = "counted in PTX, as no profile of the machine code is recorded.";
pub const OTHER_CODE: &str = "counted in the machine code of another compute capability.";
pub const MEAN: &str = "a mean of sampled blocks that differ.";

/// Returns why a column of shares is not exact.
pub fn rough_shares(outcome: &Outcome, column: Column) -> &'static str {
    let tool = outcome.shares.as_ref().and_then(|shares| {
        // The columns of single units are of instructions, all counted by one tool.
        let unit = if column == Column::LimitedBy { shares.busiest } else { Unit::Issue };
        shares.roughly_counted_by(unit)
    });
    if tool == Some(CountedBy::OtherMachineCode) { OTHER_CODE } else { ONLY_PTX }
}

/// Returns what limits a run, as a table says it; of an estimate the limiter of the model.
pub fn limited_by(view: &View, outcome: &Outcome) -> Option<String> {
    if outcome.timing().is_some() {
        return outcome.limited_by(view.attributes, true);
    }
    Some(outcome.estimate.as_ref()?.as_ref().ok()?.limited_by().to_owned())
}

/// Returns whether the counts are a mean of sampled blocks that differ.
pub fn is_mean(outcome: &Outcome) -> bool {
    let recorded = outcome.as_shipped().filter(|_| outcome.run.counters.is_none());
    let is_uniform = recorded.and_then(|record| record.sampled).map(|sampled| sampled.is_uniform);
    outcome.run.sample.as_ref().map(|sample| sample.is_uniform).or(is_uniform) == Some(false)
}

/// Returns why a run has no counts of its own size; `None` if it has, and for wrong results.
pub fn uncounted(outcome: &Outcome) -> Option<&'static str> {
    match &outcome.run {
        _ if is_smaller(outcome) => Some("its blocks depend on each other, so all have to run (--all-blocks)."),
        run if outcome.counters().is_some() || !run.report.passed() => None,
        run if run.is_edited => Some("the kernel was edited; --counters counts it on the emulator."),
        run if run.code != PREBUILT => Some("compiled by another compiler; --counters counts it on the emulator."),
        _ => Some("no count is recorded of this size and shape; --counters counts it on the emulator."),
    }
}

/// Returns whether the counts are of a smaller run, which no other row can be compared with.
pub fn is_smaller(outcome: &Outcome) -> bool {
    outcome.run.smaller.is_some_and(|smaller| smaller.is_counted)
}

/// Marks a count that is not exact with `~`.
pub fn mark(is_rough: bool, count: String) -> String {
    if is_rough && count != DASH { format!("~{count}") } else { count }
}

pub fn share_of(outcome: &Outcome, unit: Unit) -> Option<String> {
    let shares = outcome.shares.as_ref()?;
    let mark = if shares.roughly_counted_by(unit).is_some() { "~" } else { "" };
    shares.of_limit.get(&unit).map(|share| format!("{mark}{}", percent(*share)))
}

pub fn each(part: u64, whole: u64) -> String {
    if whole == 0 { DASH.into() } else { format!("{:.1}", part as f64 / whole as f64) }
}

/// Bytes of all sectors of a step, divided by those of inputs and outputs.
pub fn traffic(outcome: &Outcome) -> Option<f64> {
    let is_comparable = !is_smaller(outcome);
    Some(step_bytes(outcome).filter(|_| is_comparable)? as f64 / outcome.run.cost.bytes_needed_by_a_launch)
}

/// The share of divergent branches; `None` without branches.
pub fn divergent(outcome: &Outcome) -> Option<f64> {
    let counters = outcome.counters().filter(|_| !is_smaller(outcome))?;
    (counters.branches > 0).then(|| counters.divergent_branches as f64 / counters.branches as f64)
}

pub fn lanes(counters: &Counters) -> f64 {
    counters.thread_instructions as f64 / (WARP_SIZE as f64 * counters.warp_instructions.max(1) as f64)
}

/// The version in Rust, divided by its kernel in the same launch: time, or on the emulator instructions.
pub fn in_rust(outcome: &Outcome) -> String {
    match &outcome.twin {
        None => DASH.into(),
        Some(twin) if !twin.passed => "WRONG".into(),
        Some(twin) => twin.ratio.map_or(DASH.into(), ratio),
    }
}

/// `fastest`, of the launch shapes of a kernel. On the emulator the best shape moves the least traffic, and of equal ones
/// executes the fewest instructions: counts that a GPU's time follows in part, not the time itself.
pub fn best(outcome: &Outcome, rows: &[Outcome]) -> Option<&'static str> {
    let kernel = |outcome: &Outcome| (outcome.run.plan.rung.kernel, outcome.run.plan.in_rust);
    let shapes = || rows.iter().filter(|other| kernel(other) == kernel(outcome) && other.run.report.passed());
    if shapes().count() < 2 || !outcome.run.report.passed() {
        return None;
    }
    if let Some(own) = outcome.timing() {
        return shapes().filter_map(Outcome::timing).all(|other| own.median <= other.median).then_some("fastest");
    }
    let counts = |outcome: &Outcome| outcome.counters().map(|one| (global_bytes(&one), one.warp_instructions));
    let own = counts(outcome)?;
    let others: Vec<(u64, u64)> = shapes().filter_map(counts).collect();
    let has_equal_traffic = others.iter().all(|other| other.0 == own.0);
    let word = if has_equal_traffic { "fewest instructions" } else { "least traffic" };
    others.iter().all(|other| own <= *other).then_some(word)
}

/// The largest relative error of the results.
pub fn error(outcome: &Outcome) -> String {
    match outcome.run.report.max_relative_error {
        0.0 => "exact".into(),
        error => format!("{error:.0e}"),
    }
}
