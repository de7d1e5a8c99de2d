//! How near each kernel brings each unit of the chip to its measured limit, and which unit that is.

use super::format::{DASH, percent, render_groups};
use super::table::group_title;
use crate::limit::{CountedBy, Known, Shares, Unit};
use crate::session::Outcome;

/// Below the table.
const LEGEND: &str = "Share of the time that each unit needs at its measured rate (results/…/limits.json) for what the kernel\n\
     asks of it, instructions of its machine code; the largest is the limiter. memory: bytes that must move.";

/// Beside the share of a kernel whose machine code was not counted.
const OF_PTX: &str = "~";

/// The outcomes as a table with its title and legend; a line that says what is not recorded instead.
#[must_use]
pub fn render(known: &Known, outcomes: &[Outcome]) -> Option<String> {
    if outcomes.iter().all(|outcome| outcome.timing.is_none()) {
        return None;
    }
    if !known.has_limits() {
        return Some(
            "Shares of the units' limits: not recorded for this GPU; cargo x record DEVICE --only limits\n".into(),
        );
    }
    let mut headings = vec!["kernel"];
    headings.extend(Unit::ALL.map(Unit::heading));
    headings.push("limiter");
    let rows = outcomes.iter().map(|outcome| (group_title(outcome), cells(outcome)));
    let mut text = format!("{}{LEGEND}\n", render_groups(&headings, rows));
    let is_of_ptx =
        |outcome: &Outcome| outcome.shares.as_ref().is_some_and(|one| one.counted_by == CountedBy::Emulator);
    if outcomes.iter().any(is_of_ptx) {
        text += &format!("{OF_PTX} counted in PTX by the emulator; machine code has other numbers.\n");
    }
    Some(text)
}

fn cells(outcome: &Outcome) -> Vec<String> {
    let mut cells = vec![outcome.plan.rung.kernel.to_owned()];
    let Some(shares) = &outcome.shares else {
        cells.extend(vec![DASH.to_owned(); Unit::ALL.len() + 1]);
        return cells;
    };
    let share = |unit: Unit| shares.of_limit.get(&unit).map_or(DASH.into(), |share| percent(*share));
    cells.extend(Unit::ALL.map(share));
    cells.push(limiter(shares));
    cells
}

/// `issue slots 88%`
fn limiter(shares: &Shares) -> String {
    let mark = if shares.counted_by == CountedBy::Emulator { OF_PTX } else { "" };
    format!("{} {mark}{}", shares.limiter.name(), percent(shares.largest()))
}

#[cfg(test)]
mod tests {
    use super::super::format::WIDTH;
    use super::super::samples;
    use super::*;

    fn shares(counted_by: CountedBy) -> Shares {
        let of_limit = [(Unit::Issue, 0.88), (Unit::Fp32, 0.7), (Unit::Special, 0.464), (Unit::Memory, 0.0004)].into();
        Shares { of_limit, limiter: Unit::Issue, counted_by }
    }

    #[test]
    fn the_limiter_is_named_and_an_unmeasured_unit_is_a_dash() {
        let mut outcome = samples::outcome(Some(samples::timing(1.0, 1.0, 1.0)), None);
        assert_eq!(cells(&outcome)[1..], ["-", "-", "-", "-", "-", "-"]);
        outcome.shares = Some(shares(CountedBy::MachineCode));
        assert_eq!(cells(&outcome)[1..], ["88%", "70%", "46%", "-", "0.0%", "issue slots 88%"]);
        outcome.shares = Some(shares(CountedBy::Emulator));
        assert_eq!(cells(&outcome)[6], "issue slots ~88%");
        let known = Known::measured([(Unit::Issue, 1e12)].into());
        let text = render(&known, &[outcome]).expect("a table");
        assert!(
            text.ends_with("other numbers.\n") && text.lines().all(|line| line.chars().count() <= WIDTH + 5),
            "{text}"
        );
    }

    #[test]
    fn without_times_there_is_nothing_and_without_limits_a_line() {
        let timed = samples::outcome(Some(samples::timing(1.0, 1.0, 1.0)), None);
        let counted = samples::outcome(None, None);
        let known = Known::default();
        assert_eq!(render(&known, &[counted]), None);
        assert!(render(&known, &[timed]).is_some_and(|line| line.contains("not recorded")));
    }
}
