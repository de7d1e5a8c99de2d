//! A stage's recorded times as tables, one a problem.

use super::notation::{milliseconds, percent, three_digits, whole};
use super::records::{Records, Timed};
use anyhow::{Context, Result};
use common::stage::{Row, Stage};
use common::workload::Tutorial;

/// The stage's rows that are of one problem, with their records.
pub type Group<'a> = (Tutorial, Vec<(&'static Row, Timed<'a>)>);

/// The rows of a stage by problem, in the order of its table.
///
/// # Errors
/// When a row is not recorded.
pub fn groups<'a>(stage: &Stage, records: &'a Records) -> Result<Vec<Group<'a>>> {
    let mut groups: Vec<Group> = Vec::new();
    for row in stage.rows {
        let (tutorial, timed) = (row.work.tutorial(), records.of(row.kernel)?);
        match groups.last_mut() {
            Some((last, rows)) if *last == tutorial => rows.push((row, timed)),
            _ => groups.push((tutorial, vec![(row, timed)])),
        }
    }
    Ok(groups)
}

/// `A, all-pairs forces, 16,384 bodies`
pub fn title((tutorial, rows): &Group) -> String {
    let record = rows[0].1.record;
    let steps = record.steps.filter(|&steps| steps > 1).map(|steps| format!(", {} steps", whole(steps.into())));
    let count = format!("{} {}", whole(record.size as u64), tutorial.unit());
    format!("{tutorial:?}, {}, {count}{}", tutorial.title(), steps.unwrap_or_default())
}

/// The tables, and below them where the times are from.
///
/// # Errors
/// When a row is not recorded, or has no rate.
pub fn render(stage: &Stage, records: &Records) -> Result<String> {
    let mut text = String::new();
    let groups = groups(stage, records)?;
    for group in &groups {
        text += &format!(
            "**{}**\n\n| kernel | blocks × threads | time | gain | rate | of limit | the tutorial's figure |\n\
             |---|--:|--:|--:|--:|--:|---|\n",
            title(group)
        );
        let mut row_above = "";
        for (row, timed) in &group.1 {
            text += &line(row, timed, row_above)?;
            row_above = row.kernel;
        }
        text.push('\n');
    }
    let (_, rows) = groups.first().context("the stage has no rows")?;
    text += &format!(
        "<p class=\"source\">Ours: {}. Time is the median of the runs, from before the launch to after it. Gain: the time of the rung below \
         divided by this time; the rung below is the row above, where no other is named. Of limit: share of the device's \
         highest rate, in {}.</p>\n",
        rows[0].1.device(),
        units(&groups)
    );
    Ok(text)
}

/// Of which rates *of limit* is a share.
fn units(groups: &[Group]) -> String {
    let has = |tutorial| groups.iter().any(|(is, _)| *is == tutorial);
    let mut units = Vec::new();
    if has(Tutorial::A) || has(Tutorial::B) || has(Tutorial::D) {
        units.push("single-precision arithmetic, where a fused multiply-add counts as two operations");
    }
    if has(Tutorial::C) {
        units.push("for C bytes of memory");
    }
    if has(Tutorial::E) {
        units.push("reciprocal square roots, of which a pair of an atom and a point needs one");
    }
    units.join(", ")
}

fn line(row: &Row, timed: &Timed, row_above: &str) -> Result<String> {
    let gain = match &timed.record.below {
        None => "–".into(),
        Some(below) if below.kernel == row_above => format!("{} ×", three_digits(below.ratio)),
        Some(below) => format!("{} × <br>`{}`", three_digits(below.ratio), below.kernel),
    };
    let share = timed.record.limit_share.map_or("–".into(), percent);
    let numbers = [timed.launch(), milliseconds(timed.time.median), gain, timed.number("rate")?, share];
    let published = row.published.unwrap_or("none: ours alone");
    Ok(format!("| `{}` | {} | {published} |\n", row.kernel, numbers.map(|number| unbroken(&number)).join(" | ")))
}

/// A number and its unit stay on one line.
pub fn unbroken(number: &str) -> String {
    number.replace(' ', "\u{a0}")
}
