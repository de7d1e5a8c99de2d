//! Recorded times of a stage's kernels as a plot, with a group of dots and a logarithmic scale for each problem.
//!
//! A bar would need a scale from zero, on which one slow kernel makes all others look alike. A dot has no length.

use super::chart::{Log, heading, line, mark, short_time, text};
use super::figure::{frame, open};
use super::ladder::{Group, first_recorded, groups, title};
use super::records::{NOT_RECORDED, Records, Timed};
use anyhow::Result;
use common::format::{milliseconds, significant};
use common::stage::{Rung, Stage};

/// The ends of the scale. The rest of 480 is for the label of the slowest kernel.
const LEFT: f64 = 30.0;
const RIGHT: f64 = 268.0;
const GROUP_HEIGHT: f64 = 32.0;
const ROW_HEIGHT: f64 = 42.0;
/// The width of a number of the scale, and of the room beside it.
const NUMBER: f64 = 62.0;
const AXIS_HEIGHT: f64 = 34.0;

/// Returns the plot of some kernels of a stage, with its source below it.
///
/// # Errors
/// Returns an error if a record has wrong results or no time.
pub fn render(stage: &Stage, rungs: &[&'static Rung], records: &Records) -> Result<String> {
    let groups = groups(rungs, records)?;
    // Missing records are named below the plot.
    let Some(first) = first_recorded(&groups) else { return Ok(String::new()) };
    let device = first.device();
    let mut body = String::new();
    let mut y = 0.0;
    for group in &groups {
        let (drawn, height) = draw(stage, group, y);
        body += &drawn;
        y += height;
    }
    let svg = open(y as u32, &format!("Times of {} on {device}", stage.name), &description(&groups)) + &body + "</svg>";
    let fills = if rungs.iter().any(|rung| stage.is_baseline(rung)) {
        " Outlined: a rung of an earlier stage. Filled: this stage's."
    } else {
        ""
    };
    let caption = format!(
        "Median time of a run on {device}, and its range where that is wider than the dot; left is faster. Scales are \
         logarithmic, and each problem has its own.{fills}"
    );
    Ok(frame(&svg, &caption))
}

/// Returns the dots of a problem with their scale, and the height of all.
fn draw(stage: &Stage, group: &Group, top: f64) -> (String, f64) {
    let times =
        group.1.iter().filter_map(|(_, timed)| timed.as_ref()).flat_map(|timed| [timed.time.low, timed.time.high]);
    let scale = Log::over(times, LEFT, RIGHT);
    let rows = top + GROUP_HEIGHT;
    let bottom = top + GROUP_HEIGHT + ROW_HEIGHT * group.1.len() as f64;
    let mut svg = heading(top + 20.0, &title(group));
    let mut free = 0.0;
    for tick in scale.ticks() {
        let x = scale.at(tick);
        svg += &line("grid", (x, rows), (x, bottom));
        if x >= free {
            svg += &text(x, bottom + 16.0, "middle", &short_time(tick));
            free = x + NUMBER;
        }
    }
    let row = |(index, (rung, timed)): (usize, &(&'static Rung, Option<Timed>))| {
        dot(rung, timed.as_ref(), &scale, stage.is_baseline(rung), rows + ROW_HEIGHT * index as f64)
    };
    svg += &group.1.iter().enumerate().map(row).collect::<String>();
    (svg, bottom + AXIS_HEIGHT - top)
}

/// Returns the name of a kernel, and below it its dot and its label.
fn dot(rung: &Rung, timed: Option<&Timed>, scale: &Log, is_baseline: bool, y: f64) -> String {
    let name = text(0.0, y + 11.0, "code halo", rung.kernel);
    let Some(timed) = timed else { return name + &text(LEFT, y + 31.0, "", NOT_RECORDED) };
    let [low, middle, high] = timed.range().map(|time| scale.at(time));
    let y = y + 26.0;
    let range = line("whisker", (low, y), (high, y));
    name + &range
        + &mark(0, middle, y, is_baseline)
        + &text(high.max(middle + 5.0) + 7.0, y + 5.0, "halo", &label(Some(timed)))
}

/// Returns the label of a dot: `0.401 ms, 2.22 × as fast`.
fn label(timed: Option<&Timed>) -> String {
    let Some(timed) = timed else { return NOT_RECORDED.into() };
    let time = milliseconds(timed.time.median);
    match &timed.record.below {
        Some(below) => format!("{time}, {} × as fast", significant(below.ratio)),
        None => time,
    }
}

fn description(groups: &[Group]) -> String {
    let row = |(rung, timed): &(&'static Rung, Option<Timed>)| {
        let range = timed.as_ref().map_or(String::new(), |timed| {
            format!(", {} to {}", milliseconds(timed.time.low), milliseconds(timed.time.high))
        });
        format!("{}: {}{range}", rung.kernel, label(timed.as_ref()))
    };
    let parts: Vec<String> = groups.iter().flat_map(|(_, rows)| rows).map(row).collect();
    parts.join("; ")
}
