//! A stage's recorded times as tables, one per problem.

use super::peaks;
use super::records::{NOT_RECORDED, Records, Timed};
use anyhow::Result;
use common::ceilings::Ceilings;
use common::format::{milliseconds, percent, significant, thousands};
use common::problem::Facts;
use common::stage::Rung;

/// The rows of a stage for one problem, with their records, if there are any.
pub type Group<'a> = (&'static Facts, Vec<(&'static Rung, Option<Timed<'a>>)>);

/// Returns the rows of a stage's table by problem, in their order.
///
/// # Errors
/// Returns an error if a record has wrong results or no time.
pub fn groups<'a>(rungs: &[&'static Rung], records: &'a Records) -> Result<Vec<Group<'a>>> {
    let mut groups: Vec<Group> = Vec::new();
    for &rung in rungs {
        let facts = rung.work.facts();
        let timed = records.find(rung.kernel)?;
        match groups.last_mut() {
            Some((last, rows)) if *last == facts => rows.push((rung, timed)),
            _ => groups.push((facts, vec![(rung, timed)])),
        }
    }
    Ok(groups)
}

/// Returns the heading of a problem: `A, all-pairs forces, 16,384 bodies`.
pub fn title((facts, rows): &Group) -> String {
    let Some(Timed { record, .. }) = rows.iter().find_map(|(_, timed)| timed.as_ref()) else {
        return format!("{}, {}", facts.letter, facts.title);
    };
    let steps = record.steps.filter(|&steps| steps > 1).map(|steps| format!(", {} steps", thousands(steps.into())));
    let count = format!("{} {}", thousands(record.size as u64), facts.units());
    format!("{}, {}, {count}{}", facts.letter, facts.title, steps.unwrap_or_default())
}

/// Returns the tables, with the source of the times below them.
///
/// # Errors
/// Returns an error if a record has wrong results, no time, or no rate.
pub fn render(rungs: &[&'static Rung], records: &Records, known: &Ceilings) -> Result<String> {
    let mut text = String::new();
    let groups = groups(rungs, records)?;
    for group in &groups {
        text += &format!(
            "<div class=\"problem-{}\">\n\n**{}**\n\n| kernel | blocks × threads | time | gain | rate | of peak | limited by |\n|---|--:|--:|--:|--:|--:|--:|\n",
            group.0.letter.to_lowercase(),
            title(group)
        );
        let mut row_above = "";
        for (rung, timed) in &group.1 {
            text += &match timed {
                Some(timed) => line(rung, timed, row_above, known)?,
                None => format!("| `{}` | – | {NOT_RECORDED} | – | – | – | – |\n", rung.kernel),
            };
            row_above = rung.kernel;
        }
        text += &published_line(group);
        text += "</div>\n\n";
    }
    let Some(first) = first_recorded(&groups) else { return Ok(text) };
    text += &format!(
        "<p class=\"source\">Measured on {}, with the kernels in CUDA C++. Time is the median of the runs, from before the launch to after it. Gain: the time of the rung below \
         divided by this time; the rung below is the rung above, where no other is named. Of peak: \
         what the formula needs, per second, divided by the nominal peak of the device: {}. A cheaper algorithm can exceed it. {}</p>\n",
        first.device(),
        units(&groups),
        explain_limiters(known),
    );
    Ok(text)
}

/// Names the peaks of the column *of peak*, with the problems of each if they are several.
fn units(groups: &[Group]) -> String {
    let mut named: Vec<(&str, Vec<&str>)> = Vec::new();
    for (facts, _) in groups {
        let peak = peak(facts);
        match named.iter_mut().find(|(name, _)| *name == peak) {
            Some((_, letters)) => letters.push(facts.letter),
            None => named.push((peak, vec![facts.letter])),
        }
    }
    match &named[..] {
        [(peak, _)] => (*peak).to_owned(),
        _ => {
            let each = named.iter().map(|(peak, letters)| format!("for {}, {peak}", letters.join(" and ")));
            each.collect::<Vec<_>>().join("; ")
        }
    }
}

/// Returns the name of the peak to which a problem's rates are relative.
pub fn peak(facts: &Facts) -> &'static str {
    // Bytes of memory are named with the problem, for the legends of the programs' tables.
    let name = facts.rate.limit_name;
    name.strip_prefix("for ").and_then(|name| name.strip_prefix(facts.letter)).map_or(name, str::trim_start)
}

/// Returns the explanation of the column `limited by`.
fn explain_limiters(ceilings: &Ceilings) -> &'static str {
    if ceilings.are_recorded() {
        "Limited by: the busiest of the units whose rates are measured (issue slots, fp32, special functions, tensor cores, wgmma, \
             load/store units, shared memory, memory, block starts, the launch itself), if it needs at least 60 % of this time for its \
             work; else the idle multiprocessors, or the latency that the resident warps do not cover, with the share of the busiest \
             unit, or no full unit where there cannot be more warps. Units share the time without that of an empty launch. The work \
             is counted in machine code, or with ~ in PTX, where shared memory has at least the work that it has in machine code."
    } else {
        "Limited by: the rates of this GPU's units are not recorded yet."
    }
}

fn line(rung: &Rung, timed: &Timed, row_above: &str, known: &Ceilings) -> Result<String> {
    let gain = match &timed.record.below {
        None => "–".into(),
        Some(below) if below.kernel == row_above => format!("{} ×", significant(below.ratio)),
        Some(below) => format!("{} × <br>`{}`", significant(below.ratio), below.kernel),
    };
    let share = timed.record.limit_share.map_or("–".into(), percent);
    let limiter = peaks::limiter(known, rung, timed);
    let numbers = [timed.launch(), milliseconds(timed.time.median), gain, timed.number("rate")?, share];
    let numbers = numbers.map(|number| unbroken(&number)).join(" | ");
    Ok(format!("| `{}` | {numbers} | {limiter} |\n", rung.kernel))
}

/// Returns a line with the figures that the tutorial published; only an empty line if it published none.
fn published_line((_, rows): &Group) -> String {
    let figures = rows.iter().filter_map(|(rung, _)| Some(format!("`{}` {}", rung.kernel, rung.published?)));
    let figures: Vec<String> = figures.collect();
    if figures.is_empty() { "\n".into() } else { format!("\nPublished by the tutorial: {}.\n\n", figures.join("; ")) }
}

/// Returns the first rung with a record.
pub fn first_recorded<'a, 'b>(groups: &'b [Group<'a>]) -> Option<&'b Timed<'a>> {
    groups.iter().flat_map(|(_, rows)| rows).find_map(|(_, timed)| timed.as_ref())
}

/// Joins a number and its unit by a hard space.
pub fn unbroken(number: &str) -> String {
    number.replace(' ', "\u{a0}")
}
