//! A stage's recorded times as a plot, with a group of bars and a scale for each problem.

use super::figure::{framed, open};
use super::ladder::{Group, first_recorded, groups, title};
use super::notation::{escape, milliseconds, three_digits};
use super::records::{NOT_RECORDED, Records, Timed};
use anyhow::Result;
use common::stage::{Rung, Stage};
use std::fmt::Write;

/// The length of the longest bar. The rest of 480 is for its label.
const LONGEST: f64 = 250.0;
const GROUP_HEIGHT: u32 = 34;
const ROW_HEIGHT: u32 = 42;

/// Returns the plot, with its source below it.
///
/// # Errors
/// Returns an error if a record has wrong results or no time.
pub fn render(stage: &Stage, records: &Records) -> Result<String> {
    let groups = groups(stage, records)?;
    let height: u32 = groups.iter().map(|(_, rows)| GROUP_HEIGHT + ROW_HEIGHT * rows.len() as u32).sum();
    // Missing records are named below the plot.
    let Some(first) = first_recorded(&groups) else { return Ok(String::new()) };
    let device = first.device();
    let mut svg = open(height, &format!("Times of {} on {device}", stage.name), &description(&groups));
    let mut y = 0;
    for group in &groups {
        writeln!(svg, "<text class=\"group\" x=\"0\" y=\"{}\">{}</text>", y + 20, escape(&title(group)))?;
        y += GROUP_HEIGHT;
        let median = |timed: &Option<Timed>| timed.as_ref().map_or(0.0, |timed| timed.time.median);
        let slowest = group.1.iter().map(|(_, timed)| median(timed)).fold(0.0, f64::max);
        for (rung, timed) in &group.1 {
            let length = if slowest > 0.0 { LONGEST * median(timed) / slowest } else { 0.0 };
            svg += &bar(y, rung, timed.as_ref(), length, stage.is_baseline(rung));
            y += ROW_HEIGHT;
        }
    }
    let caption = format!(
        "Median time of a run on {device}; shorter is better. Each problem has its own scale. Outlined: a rung of an \
         earlier stage. Filled: this stage's."
    );
    Ok(framed(&(svg + "</svg>"), &caption))
}

fn bar(y: u32, rung: &Rung, timed: Option<&Timed>, length: f64, is_baseline: bool) -> String {
    let class = if is_baseline { "bar baseline" } else { "bar" };
    format!(
        "<text class=\"code\" x=\"0\" y=\"{}\">{}</text>\n<rect class=\"{class}\" x=\"1\" y=\"{}\" width=\"{length:.1}\" \
         height=\"16\"/>\n<text x=\"{:.1}\" y=\"{}\">{}</text>\n",
        y + 11,
        escape(rung.kernel),
        y + 17,
        length + 8.0,
        y + 30,
        label(timed)
    )
}

/// Returns the label of a bar: `0.401 ms, 2.22 × as fast`.
fn label(timed: Option<&Timed>) -> String {
    let Some(timed) = timed else { return NOT_RECORDED.into() };
    let time = milliseconds(timed.time.median);
    match &timed.record.below {
        Some(below) => format!("{time}, {} × as fast", three_digits(below.ratio)),
        None => time,
    }
}

fn description(groups: &[Group]) -> String {
    let rows = groups.iter().flat_map(|(_, rows)| rows);
    let parts: Vec<String> = rows.map(|(rung, timed)| format!("{}: {}", rung.kernel, label(timed.as_ref()))).collect();
    parts.join("; ")
}
