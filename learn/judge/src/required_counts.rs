//! The counts that a card sets limits for: their values, and the check of the limits.

use crate::count::Count;
use crate::counters::Counts;
use crate::device::How;
use crate::error::Error;
use crate::set::{Exercise, Limit};
use crate::submission::Submission;
use crate::verdict::{Check, Verdict};

/// The limit on the warp instructions of a launch that is not judged: wrong answers may be endless.
pub(crate) const COUNTED_BUDGET: u64 = 100_000_000;

/// Compares the counts of the first case with the card's limits.
pub(crate) fn judge(
    exercise: &Exercise,
    submission: &Submission,
    counts: &Counts,
    mut verdict: Verdict,
) -> Result<Verdict, Error> {
    let card = &exercise.card;
    let value = |count: &str, per: Option<&str>| {
        value(count, per, counts, &submission.ptx).map_err(|reason| exercise.invalid(reason))
    };
    let mut broken = None;
    for (index, limit) in card.limits.iter().enumerate() {
        let count = Count::from_limit(limit, value(&limit.count, limit.per.as_deref())?);
        if broken.is_none() && !count.is_met() {
            broken = Some((index, text(&count, limit, submission)));
        }
        verdict.counts.push(count);
    }
    if let Some(score) = &card.score {
        verdict.counts.push(Count::from_score(score, value(&score.count, score.per.as_deref())?));
    }
    Ok(match broken {
        Some((index, text)) => verdict.fails(Check::Limits(index), text),
        None => verdict,
    })
}

/// Counts the first case of a kernel; none if it does not run to its end.
///
/// # Errors
/// The set is invalid.
pub fn counts(exercise: &Exercise, submission: &Submission) -> Result<Option<Counts>, Error> {
    let case = &exercise.card.cases[0];
    submission.launch_line(exercise, case).map_err(|reason| submission.invalid(reason))?;
    let ran = submission.try_run(exercise, case, How::Counted(COUNTED_BUDGET));
    Ok(ran.ok().filter(|outcome| outcome.fault.is_none()).map(|outcome| outcome.counts))
}

fn text(count: &Count, limit: &Limit, submission: &Submission) -> String {
    let mut text = format!("{count}\n  {}", limit.because);
    let place = limit.count.strip_prefix("ptx ").and_then(|word| first_line_with(&submission.ptx, word));
    if let Some(number) = place {
        let source = submission.text.lines().nth(number - 1).unwrap_or_default().trim();
        text.push_str(&format!("\n    {}:{number}: {source}", submission.file.display()));
    }
    text
}

/// Returns the value of `count`, divided by `per` if there is one. A count `ptx WORD` is taken from `ptx`, others from
/// `counts`.
///
/// # Errors
/// There is no such count.
pub fn value(count: &str, per: Option<&str>, counts: &Counts, ptx: &str) -> Result<f64, String> {
    let one = |name: &str| match name.strip_prefix("ptx ") {
        Some(word) => Ok(instructions(ptx).filter(|(_, text)| text.contains(word)).count() as f64),
        None => counts.get(name).map(|count| *count as f64).ok_or_else(|| format!("there is no count `{name}`")),
    };
    let value = one(count)?;
    match per {
        None => Ok(value),
        // A kernel that makes no requests has no bad ones.
        Some(per) => Ok(if one(per)? == 0.0 { 0.0 } else { value / one(per)? }),
    }
}

/// Returns the source line of the first instruction that contains a word.
#[must_use]
pub fn first_line_with(ptx: &str, word: &str) -> Option<usize> {
    instructions(ptx).find(|(_, text)| text.contains(word)).and_then(|(line, _)| line)
}

/// Returns the instructions of a PTX text, each with its source line if there is one.
fn instructions(ptx: &str) -> impl Iterator<Item = (Option<usize>, &str)> {
    let mut line = None;
    ptx.lines().filter_map(move |text| {
        let text = text.split("//").next().unwrap_or_default().trim();
        if let Some(location) = text.strip_prefix(".loc") {
            line = location.split_whitespace().nth(1).and_then(|number| number.parse().ok());
        }
        (text.ends_with(';') && !text.starts_with('.')).then_some((line, text))
    })
}
