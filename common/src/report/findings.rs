//! The lines below the tables: what the numbers of this run show, what was verified, what to read next.

use crate::columns::Column;
use crate::format::{WIDTH, factor, percent, plural, ratio, thousands};
use crate::outcome::Outcome;
use crate::report::data::steps::{is_same, loaded_sectors, rung_below};
use crate::report::data::view::View;
use crate::report::table::cells::{divergent, groups, instructions, is_smaller, limited_by, traffic};
use crate::verify::Sample;
use emulator::Counters;
use std::cmp::Ordering::Equal;

/// The lines about counts at most.
const MAX_COUNTS: usize = 2;

/// Counts that a step can reduce, with the sentence that reports each.
type Count = (Column, &'static str, fn(&View, &Outcome) -> Option<f64>);
const COUNTS: [Count; 6] = [
    (Column::SectorsPerLoad, "loads {} of the sectors of {}", |_, row| counted(row, loaded_sectors)),
    (Column::ConflictsPerLoad, "has {} of the bank conflicts of {}", |_, row| counted(row, conflicts)),
    (Column::ConflictsPerAtomic, "has {} of the bank conflicts of atomics of {}", |_, row| {
        counted(row, |counters| counters.shared_atomic_conflicts)
    }),
    (Column::Barriers, "executes {} of the barriers of {}", |_, row| counted(row, |counters| counters.barriers)),
    (Column::Instructions, "executes {} of the instructions of {}", |view, row| instructions(row, view.rows)),
    (Column::SectorsPerStore, "stores {} of the sectors of {}", |_, row| {
        counted(row, |counters| counters.global_store_sectors)
    }),
];

/// Returns a count of a step on the emulator; `None` if it is of a smaller run.
fn counted(row: &Outcome, count: fn(&Counters) -> u64) -> Option<f64> {
    let launches = f64::from(row.run.plan.launches_of_a_step());
    row.counters().filter(|_| !is_smaller(row)).map(|counters| launches * count(&counters) as f64)
}

fn conflicts(counters: &Counters) -> u64 {
    counters.shared_load_conflicts + counters.shared_store_conflicts
}

/// The share of a count from which a step is too small for a line.
const NOTABLE: f64 = 0.9;

/// Returns the lines below the tables: the fastest kernels, what the counts show, what was verified and what to read next.
pub fn lines(view: &View) -> Vec<String> {
    let mut lines: Vec<String> = groups(view.rows).filter_map(|group| fastest_line(view, group)).collect();
    lines.extend(count_lines(view).into_iter().take(if lines.is_empty() { MAX_COUNTS } else { 1 }));
    lines.push(verification_line(view));
    lines.push(format!("Read on: {}", view.stage.read_on));
    lines
}

/// Returns the fastest kernels of a problem with their limit, and the gain over the first; `None` without two times to compare.
fn fastest_line(view: &View, group: &[Outcome]) -> Option<String> {
    let time = |row: &Outcome| row.timing().map(|timing| timing.median).filter(|_| !view.is_sweep);
    let timed: Vec<(&Outcome, f64)> = group.iter().filter_map(|row| Some((row, time(row)?))).collect();
    let [(first, before), _, ..] = timed[..] else { return None };
    let (fastest, after) = timed.iter().copied().min_by(|one, other| one.1.total_cmp(&other.1))?;
    let best = timed.iter().filter(|(_, time)| is_same(time / after)).map(|(row, _)| row.run.plan.name());
    let first = first.run.plan.name();
    let others = best.filter(|name| *name != first).collect::<Vec<_>>().join(" and ");
    let what = match before / after {
        _ if others.is_empty() => first,
        gain if is_same(gain) => format!("{others}, as fast as the first"),
        gain => format!("{others}, {} as fast as the first", factor(gain)),
    };
    let line = format!("Fastest of {}: {what}", fastest.run.plan.facts().letter);
    let limited = limited_by(view, fastest).map(|limit| format!("{line} (limited by {limit})"));
    Some(limited.filter(|line| line.chars().count() <= WIDTH).unwrap_or(line))
}

/// Returns the step that reduces each count of the stage most, with what it gained: the largest reduction first, those without a gain
/// last. A table without steps has its traffic and its divergence instead.
fn count_lines(view: &View) -> Vec<String> {
    let mut savings: Vec<((bool, f64), String)> = Vec::new();
    for (column, sentence, count) in COUNTS {
        let is_taught = |row: &&Outcome| (view.stage.counts)(row.run.plan.facts().letter).contains(&column);
        let steps = view.rows.iter().filter(is_taught).filter_map(|row| {
            let below = rung_below(row, view.rows)?;
            let (own, other) = count(view, row).zip(count(view, below))?;
            let gain = below.timing().zip(row.timing()).map(|(before, after)| before.median / after.median);
            let is_loss = gain.is_some_and(|gain| gain < 1.0 || is_same(gain));
            let is_notable = own > 0.0 && own < NOTABLE * other;
            is_notable.then(|| ((is_loss, own / other), gain, row, below))
        });
        let Some((key, gain, row, below)) = steps.min_by(|one, other| one.0.partial_cmp(&other.0).unwrap_or(Equal))
        else {
            continue;
        };
        let what = sentence.replacen("{}", &fraction(key.1), 1).replacen("{}", below.run.plan.rung.kernel, 1);
        let gained = match gain {
            None => String::new(),
            Some(gain) if is_same(gain) => ", but is only as fast".into(),
            Some(gain) => format!(", {} {} as fast", if key.0 { "but is" } else { "and is" }, factor(gain)),
        };
        savings.push((key, format!("{} {what}{gained}.", row.run.plan.rung.kernel)));
    }
    savings.sort_by(|one, other| one.0.partial_cmp(&other.0).unwrap_or(Equal));
    if savings.is_empty() { single_count_lines(view) } else { savings.into_iter().map(|(_, line)| line).collect() }
}

/// Returns the kernel with the most memory traffic relative to the minimum, and the one with the most divergent branches.
fn single_count_lines(view: &View) -> Vec<String> {
    let most = |value: fn(&Outcome) -> Option<f64>| {
        let all = view.rows.iter().filter_map(|row| Some((value(row)?, row.run.plan.rung.kernel)));
        all.reduce(|best, other| if other.0 > best.0 { other } else { best })
    };
    let traffic = most(traffic).filter(|(times, _)| *times > 1.0 / NOTABLE);
    let traffic = traffic
        .map(|(times, kernel)| format!("{kernel} moves {} times the bytes of its inputs and outputs.", ratio(times)));
    let divergent = most(divergent).filter(|(share, _)| *share >= 0.01);
    let divergent = divergent.map(|(share, kernel)| {
        format!("{} of {kernel}'s branches are divergent (--columns divergent).", percent(share))
    });
    traffic.into_iter().chain(divergent).collect()
}

/// Formats a share as a fraction, `1/128`, if it is within two percent of one, and else as `31 %`.
fn fraction(share: f64) -> String {
    let whole = (1.0 / share).round();
    let is_close = whole >= 2.0 && (share * whole - 1.0).abs() <= 0.02;
    if is_close { format!("1/{}", thousands(whole as u64)) } else { percent(share) }
}

/// Returns the line on the verification: how many results, which part of them, and the reference.
fn verification_line(view: &View) -> String {
    let mut samples: Vec<(&str, String)> = Vec::new();
    for row in view.rows {
        let Some(Sample { compared, of, unit }) = row.run.report.sample.filter(|_| row.run.sample.is_none()) else {
            continue;
        };
        let [compared, of] = [compared, of].map(|count| thousands(count as u64));
        let sample = (row.run.plan.facts().letter, format!("{compared} of {of} {unit}"));
        if !samples.contains(&sample) {
            samples.push(sample);
        }
    }
    let count = view.rows.len();
    let wrong = view.rows.iter().filter(|row| !row.run.report.passed()).count();
    if wrong > 0 {
        return format!("{} of {} with wrong results, compared with a CPU reference.", wrong, plural(count, "launch"));
    }
    let what = if count == 1 { "The result is".into() } else { format!("The results of {count} kernels are") };
    let part = match &samples[..] {
        _ if view.rows.iter().any(|row| row.run.sample.is_some()) => " (a sample; see --all-blocks)".into(),
        [] => String::new(),
        [(letter, sample)] => format!(" ({letter}: {sample})"),
        several => {
            let letters: Vec<&str> = several.iter().map(|(letter, _)| *letter).collect();
            format!(" (samples of {})", letters.join(", "))
        }
    };
    format!("{what} correct, compared with a CPU reference{part}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{RUNG, STAGE, outcome, timing, view};
    use crate::session::Run;
    use crate::stage::Rung;

    static UPPER: Rung = Rung { kernel: "computeForces_Shared", below: Some(&RUNG), ..RUNG };

    /// The outcome of [`UPPER`].
    fn upper(mut outcome: Outcome<'static>) -> Outcome<'static> {
        outcome.run.plan.rung = &UPPER;
        outcome
    }

    fn counted(global_load_sectors: u64, barriers: u64) -> Outcome<'static> {
        outcome(None, Some(Counters { global_load_sectors, barriers, ..Counters::default() }))
    }

    #[test]
    fn a_step_is_described_by_the_count_that_it_reduces_most() {
        let rows = [counted(128_000, 10), upper(counted(1000, 4))];
        let lines = lines(&view(&rows));
        assert_eq!(lines[0], "computeForces_Shared loads 1/128 of the sectors of computeForces.");
        assert_eq!(lines[1], "computeForces_Shared executes 40 % of the barriers of computeForces.");
        assert_eq!(lines.len(), 4);
        assert!(lines[2].starts_with("The results of 2 kernels are correct"), "{}", lines[2]);
        assert_eq!(lines[3], format!("Read on: {}", STAGE.read_on));
    }

    #[test]
    fn a_single_kernel_is_described_by_its_traffic() {
        let rows = [counted(75, 0)];
        let lines = lines(&view(&rows));
        assert_eq!(lines[0], "computeForces moves 2,400 times the bytes of its inputs and outputs.");
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn the_fastest_kernel_and_those_as_fast_are_named_with_the_gain_over_the_first_row() {
        let timed = |median| outcome(Some(timing(median, median, median)), None);
        let first = |rows: &[Outcome]| lines(&view(rows)).swap_remove(0);
        let (limit, gained) = (" (limited by 8 of 132 SMs)", "computeForces_Shared, 2.00x as fast as the first");
        let mut rows = [timed(3.0), upper(timed(1.5)), upper(timed(2.0))];
        rows.iter_mut().for_each(|row| row.run.resources.occupancy = Some(1.0));
        assert_eq!(first(&rows), format!("Fastest of A: {gained}{limit}"));
        rows[2].run.timing = Some(timing(1.51, 1.51, 1.51));
        // There is no room for the limit.
        assert_eq!(first(&rows), format!("Fastest of A: computeForces_Shared and {gained}"));
        rows[0].run.timing = Some(timing(1.51, 1.51, 1.51));
        assert!(first(&rows[..2]).contains("computeForces_Shared, as fast as the first"), "{}", first(&rows[..2]));
        rows[0].run.timing = Some(timing(1.0, 1.0, 1.0));
        assert_eq!(first(&rows), format!("Fastest of A: computeForces{limit}"));
        assert!(first(&rows[..1]).starts_with("The result is correct"));
    }

    #[test]
    fn a_count_is_praised_with_what_it_gained() {
        let timed = |median, sectors| Outcome {
            run: Run { timing: Some(timing(median, median, median)), ..counted(sectors, 0).run },
            ..counted(0, 0)
        };
        let rows = [timed(1.5, 128_000), upper(timed(1.5, 1000))];
        let line = count_lines(&view(&rows)).swap_remove(0);
        assert_eq!(line, "computeForces_Shared loads 1/128 of the sectors of computeForces, but is only as fast.");
    }

    #[test]
    fn wrong_results_are_never_called_correct() {
        let mut wrong = counted(75, 0);
        wrong.run.report.failed = 1;
        let rows = [wrong];
        assert!(lines(&view(&rows)).iter().all(|line| !line.contains("correct")));
    }

    #[test]
    fn a_share_close_to_a_fraction_is_written_as_one() {
        assert_eq!([0.5, 1.0 / 127.9, 0.31, 0.004].map(fraction), ["1/2", "1/128", "31 %", "1/250"]);
    }
}
