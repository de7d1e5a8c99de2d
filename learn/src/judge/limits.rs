//! Counts against the card's limits.

use super::counts::{Counts, shown};
use super::device::{Device, How};
use super::{Check, SOLUTION_BUDGET, Submission, Verdict};
use crate::error::Error;
use crate::set::{Exercise, LaunchLine, Limit, Medal, Score};
use serde::{Deserialize, Serialize};

/// A count of a learner's kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// `global load sectors / global load requests`.
    pub what: String,
    /// The value.
    pub value: f64,
    /// The largest that passes.
    pub most: Option<f64>,
    /// The least that passes.
    pub least: Option<f64>,
    /// What it earns.
    pub medal: Option<Medal>,
}

/// Counts the first case, and compares.
pub fn judge(
    exercise: &Exercise,
    submission: &Submission,
    line: Option<LaunchLine>,
    mut verdict: Verdict,
) -> Result<Verdict, Error> {
    let card = &exercise.card;
    if card.limits.is_empty() && card.score.is_none() {
        return Ok(verdict);
    }
    let outcome = Device::prepare(card, &card.cases[0], &submission.ptx)
        .and_then(|device| device.run(line, How::Counted { budget: SOLUTION_BUDGET }))
        .map_err(Error::System)?;
    let wrong = |reason| Error::Set { path: exercise.folder.join("card.toml"), reason };
    let value = |count: &str, per: Option<&str>| value(count, per, &outcome.counts, &submission.ptx).map_err(wrong);
    let mut broken = None;
    for (index, limit) in card.limits.iter().enumerate() {
        let count = Count::of(limit, value(&limit.count, limit.per.as_deref())?);
        if broken.is_none() && !count.is_met() {
            broken = Some((index, text(&count, limit, submission)));
        }
        verdict.counts.push(count);
    }
    if let Some(score) = &card.score {
        verdict.counts.push(Count::of_score(score, value(&score.count, score.per.as_deref())?));
    }
    Ok(match broken {
        Some((index, text)) => verdict.fails(Check::Limits(index), text),
        None => verdict,
    })
}

impl Count {
    fn of(limit: &Limit, value: f64) -> Self {
        Self {
            what: words(&limit.count, limit.per.as_deref()),
            value,
            most: limit.most,
            least: limit.least,
            medal: None,
        }
    }

    fn of_score(score: &Score, value: f64) -> Self {
        let what = words(&score.count, score.per.as_deref());
        Self { what, value, most: None, least: None, medal: score.medal(value) }
    }

    /// Whether it is within its limits.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.most.is_none_or(|most| self.value <= most) && self.least.is_none_or(|least| self.value >= least)
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.what, shown(self.value))?;
        if let Some(most) = self.most {
            write!(f, " (at most {})", shown(most))?;
        }
        if let Some(least) = self.least {
            write!(f, " (at least {})", shown(least))?;
        }
        match self.medal {
            Some(medal) => write!(f, ": {}", format!("{medal:?}").to_lowercase()),
            None => Ok(()),
        }
    }
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

/// `global load sectors / global load requests`
fn words(count: &str, per: Option<&str>) -> String {
    let words = |name: &str| match name.strip_prefix("ptx ") {
        Some(word) => format!("PTX instructions with {word}"),
        None => name.replace('_', " ").replace("classes.", "warp instructions of class "),
    };
    per.map_or_else(|| words(count), |per| format!("{} / {}", words(count), words(per)))
}

pub(super) fn value(count: &str, per: Option<&str>, counts: &Counts, ptx: &str) -> Result<f64, String> {
    let one = |name: &str| match name.strip_prefix("ptx ") {
        Some(word) => Ok(instructions(ptx).filter(|(_, text)| text.contains(word)).count() as f64),
        None => counts.get(name).map(|count| *count as f64).ok_or_else(|| format!("there is no count `{name}`")),
    };
    let value = one(count)?;
    match per {
        None => Ok(value),
        // No request at all is no bad request.
        Some(per) => Ok(if one(per)? == 0.0 { 0.0 } else { value / one(per)? }),
    }
}

/// The line of source of the first instruction with this word.
fn first_line_with(ptx: &str, word: &str) -> Option<usize> {
    instructions(ptx).find(|(_, text)| text.contains(word)).and_then(|(line, _)| line)
}

/// The instructions of a PTX text, each with the line of source that it is compiled from.
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

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str =
        ".reg .f64 %d;\n.loc 1 7 3\nadd.f32 %f1, %f2, %f3; // .f64\n.loc 1 9 1\n@%p1 add.f64 %d1, %d2, %d3;\n";

    #[test]
    fn instructions_are_counted_by_a_word_and_found_in_the_source() {
        assert_eq!(value("ptx .f64", None, &Counts::new(), PTX), Ok(1.0));
        assert_eq!(first_line_with(PTX, ".f64"), Some(9));
    }

    #[test]
    fn quotients_of_nothing_are_nothing() {
        let counts = Counts::from([("a".to_owned(), 6), ("b".to_owned(), 4), ("c".to_owned(), 0)]);
        assert_eq!(value("a", Some("b"), &counts, ""), Ok(1.5));
        assert_eq!(value("a", Some("c"), &counts, ""), Ok(0.0));
        assert_eq!(value("d", None, &counts, ""), Err("there is no count `d`".into()));
    }
}
