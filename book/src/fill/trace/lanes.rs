//! A timeline of the active lanes of a warp.

use super::Traced;
use crate::fill::figure::{frame, open};
use crate::fill::notation::escape;
use anyhow::Result;
use emulator::{TracedStep, WARP_SIZE};

const LANES: u32 = WARP_SIZE as u32;
const LEFT: f64 = 64.0;
const TOP: f64 = 24.0;
const WIDTH: f64 = 480.0 - LEFT;
const LANE_HEIGHT: f64 = 6.0;

/// Consecutive instructions with the same active lanes.
struct Run {
    active: u32,
    first: usize,
    count: usize,
    /// The last of their lines in the kernel's file, since compilers move instructions of later lines ahead.
    line: u32,
}

/// Returns the timeline of warp 0, with time to the right and a row for each lane, which is filled while the lane is active.
pub fn render(traced: &Traced) -> Result<String> {
    let steps: Vec<&TracedStep> = traced.warp().collect();
    let runs = runs(&steps);
    let height = LANE_HEIGHT * f64::from(LANES);
    let (busy, all) = steps.iter().fold((0, 0), |(busy, all), step| (busy + step.active.count_ones(), all + LANES));
    let share = 100.0 * f64::from(busy) / f64::from(all.max(1));
    let summary =
        format!("Warp 0 executes {} instructions; on average {share:.0} % of its lanes take part.", steps.len());
    let mut svg = open((TOP + height + 30.0) as u32, "Active lanes of a warp over its instructions", &summary);
    for (lane, text) in [(0, "lane 0"), (16, "16"), (31, "31")] {
        let y = TOP + LANE_HEIGHT * f64::from(lane) + LANE_HEIGHT;
        svg += &format!("<text class=\"small\" x=\"0\" y=\"{y:.1}\">{text}</text>\n");
    }
    let scale = WIDTH / steps.len().max(1) as f64;
    for run in &runs {
        let x = LEFT + scale * run.first as f64;
        let width = scale * run.count as f64;
        for (first, count) in spans(run.active) {
            svg += &format!(
                "<rect class=\"full\" x=\"{x:.2}\" y=\"{:.1}\" width=\"{width:.2}\" height=\"{:.1}\"/>\n",
                TOP + LANE_HEIGHT * f64::from(first),
                LANE_HEIGHT * f64::from(count)
            );
        }
    }
    svg += &format!("<rect class=\"box\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{WIDTH}\" height=\"{height}\"/>\n");
    svg += &format!(
        "<text class=\"small\" x=\"{LEFT}\" y=\"{:.1}\">time, in instructions of the warp: 1 to {}</text>\n",
        TOP + height + 20.0,
        steps.len()
    );
    let caption = format!(
        "<strong>{}</strong>, warp 0: filled where a lane is active. {}{} From the emulator's trace.",
        escape(&traced.launch),
        escape(&summary),
        narrowest(traced, &runs)
    );
    Ok(frame(&(svg + "</svg>"), &caption))
}

fn runs(steps: &[&TracedStep]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let line = step.location.as_ref().map_or(0, |(_, line)| *line);
        match runs.last_mut() {
            Some(run) if run.active == step.active => {
                run.count += 1;
                run.line = run.line.max(line);
            }
            _ => runs.push(Run { active: step.active, first: number, count: 1, line }),
        }
    }
    runs
}

/// Returns the ranges of consecutive lanes: the first lane and the number of lanes.
fn spans(mask: u32) -> Vec<(u32, u32)> {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
        match spans.last_mut() {
            Some((first, count)) if *first + *count == lane => *count += 1,
            _ => spans.push((lane, 1)),
        }
    }
    spans
}

/// Returns the place with the fewest active lanes.
fn narrowest(traced: &Traced, runs: &[Run]) -> String {
    let working = runs.iter().filter(|run| run.active != 0);
    match working.min_by_key(|run| (run.active.count_ones(), std::cmp::Reverse(run.count))) {
        Some(run) if run.active != u32::MAX => format!(
            " Fewest, {2}, at line {0}: <code>{1}</code>.",
            run.line,
            escape(traced.source_line(run.line)),
            run.active.count_ones()
        ),
        _ => String::new(),
    }
}
