//! A stage's recorded times as tables, one a problem.

use super::notation::{milliseconds, percent, three_digits, whole};
use super::records::{Records, Timed};
use anyhow::{Context, Result};
use common::problem::Facts;
use common::stage::{Rung, Stage};

/// The stage's rows that are of one problem, with their records.
pub type Group<'a> = (&'static Facts, Vec<(&'static Rung, Timed<'a>)>);

/// The rows of a stage by problem, in the order of its table.
///
/// # Errors
/// When a rung is not recorded.
pub fn groups<'a>(stage: &Stage, records: &'a Records) -> Result<Vec<Group<'a>>> {
    let mut groups: Vec<Group> = Vec::new();
    for rung in stage.rungs {
        let (facts, timed) = (rung.work.facts(), records.of(rung.kernel)?);
        match groups.last_mut() {
            Some((last, rows)) if *last == facts => rows.push((rung, timed)),
            _ => groups.push((facts, vec![(rung, timed)])),
        }
    }
    Ok(groups)
}

/// `A, all-pairs forces, 16,384 bodies`
pub fn title((facts, rows): &Group) -> String {
    let record = rows[0].1.record;
    let steps = record.steps.filter(|&steps| steps > 1).map(|steps| format!(", {} steps", whole(steps.into())));
    let count = format!("{} {}", whole(record.size as u64), facts.units());
    format!("{}, {}, {count}{}", facts.letter, facts.title, steps.unwrap_or_default())
}

/// The tables, and below them where the times are from.
///
/// # Errors
/// When a rung is not recorded, or has no rate.
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
        for (rung, timed) in &group.1 {
            text += &line(rung, timed, row_above)?;
            row_above = rung.kernel;
        }
        text.push('\n');
    }
    let (_, rows) = groups.first().context("the stage has no rows")?;
    text += &format!(
        "<p class=\"source\">Ours: {}. Time is the median of the runs, from before the launch to after it. Gain: the time of the rung below \
         divided by this time; the rung below is the rung above, where no other is named. Of limit: share of the device's \
         highest rate, in {}.</p>\n",
        rows[0].1.device(),
        units(&groups)
    );
    Ok(text)
}

/// Of which rates *of limit* is a share.
fn units(groups: &[Group]) -> String {
    let mut units: Vec<&str> = Vec::new();
    for unit in groups.iter().map(|(facts, _)| facts.rate.limit_name) {
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    units.join(", ")
}

fn line(rung: &Rung, timed: &Timed, row_above: &str) -> Result<String> {
    let gain = match &timed.record.below {
        None => "–".into(),
        Some(below) if below.kernel == row_above => format!("{} ×", three_digits(below.ratio)),
        Some(below) => format!("{} × <br>`{}`", three_digits(below.ratio), below.kernel),
    };
    let share = timed.record.limit_share.map_or("–".into(), percent);
    let numbers = [timed.launch(), milliseconds(timed.time.median), gain, timed.number("rate")?, share];
    let published = rung.published.unwrap_or("none: ours alone");
    Ok(format!("| `{}` | {} | {published} |\n", rung.kernel, numbers.map(|number| unbroken(&number)).join(" | ")))
}

/// A number and its unit stay on one line.
pub fn unbroken(number: &str) -> String {
    number.replace(' ', "\u{a0}")
}
