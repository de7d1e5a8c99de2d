//! The lines below the tables: what the numbers of this run show, what was verified, what to read next.

use crate::device::Backend;
use crate::format::{factor, milliseconds, percent, plural, ratio, thousands};
use crate::outcome::Outcome;
use crate::problem::Facts;
use crate::report::data::steps::{loaded_sectors, rung_below};
use crate::report::data::view::View;
use crate::report::table::cells::{divergent, traffic};
use crate::verify::Sample;
use emulator::Counters;

/// Lines below the tables at most.
const MAX_LINES: usize = 4;

/// Counters that a step can reduce, with the sentence that reports each.
type Count = (&'static str, fn(&Counters) -> u64);
const COUNTS: [Count; 5] = [
    ("loads {} of the sectors of {}", loaded_sectors),
    ("stores {} of the sectors of {}", |counters| counters.global_store_sectors),
    ("has {} of the bank conflicts of {}", |counters| counters.shared_load_conflicts + counters.shared_store_conflicts),
    ("executes {} of the barriers of {}", |counters| counters.barriers),
    ("executes {} of the instructions of {}", |counters| counters.warp_instructions),
];

/// The share of a count from which a step is too small for a line.
const NOTABLE: f64 = 0.9;

/// Returns the lines below the tables: at most [`MAX_LINES`], of which the last two say what was verified and what to read
/// next. `footnotes` explain marks of the tables and come first.
pub fn lines(view: &View, footnotes: Vec<String>) -> Vec<String> {
    let mut lines = footnotes;
    lines.extend(remarks(view));
    if view.rows.iter().any(|row| row.timing().is_some()) {
        lines.extend(time_lines(view));
    }
    if view.backend == Backend::Emulator {
        lines.extend(count_lines(view));
    }
    lines.truncate(MAX_LINES - 2);
    lines.push(verification_line(view));
    lines.push(format!("Read on: {}", view.stage.read_on));
    lines
}

/// Returns the notes on counts that cover only a part of a run, each once.
fn remarks(view: &View) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for row in view.rows.iter().filter(|row| row.run.counters.is_some()) {
        let Facts { letter, count_note: note, launches, .. } = row.run.plan.facts();
        let line = format!("{letter}: {note}");
        if !note.is_empty() && launches(&row.run.plan.size) > 1 && !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Returns the largest gain of a step, and the limit of the fastest kernel of that problem. A table without steps has
/// the second line for its first problem.
fn time_lines(view: &View) -> Vec<String> {
    let steps = view.rows.iter().filter_map(|row| {
        let below = rung_below(row, view.rows)?;
        Some((row, below, below.timing()?.median / row.timing()?.median))
    });
    let largest = steps.max_by(|one, other| one.2.total_cmp(&other.2)).filter(|(.., gain)| gain * NOTABLE > 1.0);
    let mut lines = Vec::new();
    if let Some((row, below, gain)) = largest {
        let times = [row, below].map(|one| milliseconds(one.timing().map_or(0.0, |timing| timing.median)));
        let [own, other] = [row, below].map(|one| one.run.plan.rung.kernel);
        lines.push(format!("{own} is {} as fast as {other}: {} instead of {}.", factor(gain), times[0], times[1]));
    }
    let Some(problem) = largest.map(|(row, ..)| row).or(view.rows.first()).map(|row| row.run.plan.facts()) else {
        return lines;
    };
    let of_problem = || view.rows.iter().filter(|row| row.run.plan.facts() == problem);
    if of_problem().any(|row| row.timing().is_none()) {
        return lines;
    }
    let fastest = of_problem().min_by(|one, other| {
        let median = |row: &Outcome| row.timing().map_or(f64::INFINITY, |timing| timing.median);
        median(one).total_cmp(&median(other))
    });
    if let Some(row) = fastest
        && let Some(limiter) = row.limiter(view.attributes)
    {
        let kernel = row.run.plan.rung.kernel;
        lines.push(format!("The fastest of {} is {kernel} (limited by: {limiter}).", problem.letter));
    }
    lines
}

/// Returns the step that reduces each count most, largest reduction first. A table without steps has its traffic and its
/// divergence instead.
fn count_lines(view: &View) -> Vec<String> {
    let mut savings: Vec<(f64, String)> = Vec::new();
    for (sentence, count) in COUNTS {
        let steps = view.rows.iter().filter_map(|row| {
            let below = rung_below(row, view.rows)?;
            let own = count(row.run.counters.as_ref()?);
            let other = count(below.run.counters.as_ref()?);
            (own > 0 && other > 0).then(|| (own as f64 / other as f64, row, below))
        });
        if let Some((share, row, below)) = steps.min_by(|one, other| one.0.total_cmp(&other.0)) {
            let what = sentence.replacen("{}", &fraction(share), 1).replacen("{}", below.run.plan.rung.kernel, 1);
            savings.push((share, format!("{} {what}.", row.run.plan.rung.kernel)));
        }
    }
    savings.retain(|(share, _)| *share < NOTABLE);
    savings.sort_by(|one, other| one.0.total_cmp(&other.0));
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
        let lines = lines(&view(&rows), Vec::new());
        assert_eq!(lines[0], "computeForces_Shared loads 1/128 of the sectors of computeForces.");
        assert_eq!(lines[1], "computeForces_Shared executes 40 % of the barriers of computeForces.");
        assert_eq!(lines.len(), 4);
        assert!(lines[2].starts_with("The results of 2 kernels are correct"), "{}", lines[2]);
        assert_eq!(lines[3], format!("Read on: {}", STAGE.read_on));
    }

    #[test]
    fn a_single_kernel_is_described_by_its_traffic() {
        let rows = [counted(75, 0)];
        let lines = lines(&view(&rows), Vec::new());
        assert_eq!(lines[0], "computeForces moves 2,400 times the bytes of its inputs and outputs.");
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn on_a_gpu_the_largest_gain_comes_first() {
        let timed = |median| outcome(Some(timing(median, median, median)), None);
        let rows = [timed(3.0), upper(timed(1.5))];
        let lines = lines(&view(&rows), Vec::new());
        assert_eq!(lines[0], "computeForces_Shared is 2.00x as fast as computeForces: 1.50 ms instead of 3.00 ms.");
        let none = [timed(3.0), upper(timed(2.9))];
        assert!(!super::lines(&view(&none), Vec::new())[0].contains("as fast"));
    }

    #[test]
    fn there_are_four_lines_at_most_and_the_footnotes_come_first() {
        let rows = [counted(128_000, 10), upper(counted(1000, 4))];
        let lines = lines(&view(&rows), vec!["~ one.".into(), "~ two.".into(), "~ three.".into()]);
        assert_eq!((lines.len(), lines[0].as_str(), lines[1].as_str()), (4, "~ one.", "~ two."));
    }

    #[test]
    fn wrong_results_are_never_called_correct() {
        let mut wrong = counted(75, 0);
        wrong.run.report.failed = 1;
        let rows = [wrong];
        assert!(lines(&view(&rows), Vec::new()).iter().all(|line| !line.contains("correct")));
    }

    #[test]
    fn a_share_close_to_a_fraction_is_written_as_one() {
        assert_eq!([0.5, 1.0 / 127.9, 0.31, 0.004].map(fraction), ["1/2", "1/128", "31 %", "1/250"]);
    }
}
