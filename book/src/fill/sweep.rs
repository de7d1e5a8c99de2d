//! Recorded times by threads per block: a panel per problem, with a line per kernel.

use super::chart::{self, Numbered, heading, short_time};
use super::figure::{frame, open};
use super::notation::escape;
use super::records::{Records, Timed};
use anyhow::{Result, bail};
use common::format::{milliseconds, significant};
use common::stage::{Rung, Stage};
use std::collections::{BTreeMap, BTreeSet};

const RIGHT: f64 = 420.0;
const HEIGHT: f64 = 150.0;
/// The height of the name of a problem.
const HEADING: f64 = 22.0;

/// The times of a kernel for at least two numbers of threads per block.
struct Line<'a> {
    rung: &'static Rung,
    is_baseline: bool,
    times: BTreeMap<u32, Timed<'a>>,
}

impl Line<'_> {
    fn fastest(&self) -> (u32, f64) {
        self.points().fold((0, f64::INFINITY), |best, point| if point.1 < best.1 { point } else { best })
    }

    fn points(&self) -> impl Iterator<Item = (u32, f64)> {
        self.times.iter().map(|(&block, timed)| (block, timed.time.median))
    }

    /// Describes the fastest block size: `0.336 ms at 32`.
    fn best(&self) -> String {
        let (block, time) = self.fastest();
        format!("{} at {block}", milliseconds(time))
    }
}

/// Returns the plot of these kernels, with its source below it. A plot of a whole stage leaves out kernels with only one shape.
///
/// # Errors
/// Returns an error if a chosen kernel is recorded with only one block size, or if a record has wrong results or no time.
pub fn render(stage: &Stage, rows: &[&'static Rung], sweep: &Records) -> Result<String> {
    let mut panels: Vec<Vec<Line>> = Vec::new();
    for rung in rows {
        let blocks: BTreeSet<[u32; 3]> =
            sweep.list().iter().filter(|record| record.kernel == rung.kernel).map(|record| record.block).collect();
        // Kernels without a record are named below the plot.
        if blocks.is_empty() || (blocks.len() < 2 && rows.len() == stage.rungs.len()) {
            continue;
        }
        let line =
            Line { rung, is_baseline: stage.is_baseline(rung), times: fastest_of_each_block(sweep, rung.kernel)? };
        match panels.last_mut() {
            Some(panel) if panel[0].rung.work.facts() == rung.work.facts() => panel.push(line),
            _ => panels.push(vec![line]),
        }
    }
    let Some(first) = panels.first().and_then(|lines| lines[0].times.values().next()) else {
        return Ok(String::new());
    };
    Ok(draw(stage, &panels, &first.device()))
}

/// Returns the times by block size. If the grid can vary, the fastest grid represents a block size.
///
/// # Errors
/// Returns an error if the kernel is recorded with only one block size, or if a record has wrong results or no time.
pub fn fastest_of_each_block<'a>(sweep: &'a Records, kernel: &str) -> Result<BTreeMap<u32, Timed<'a>>> {
    let mut times: BTreeMap<u32, Timed> = BTreeMap::new();
    for timed in sweep.all_of(kernel)? {
        let block = timed.block();
        if times.get(&block).is_none_or(|other| timed.time.median < other.time.median) {
            times.insert(block, timed);
        }
    }
    if times.len() < 2 {
        bail!("{kernel} is recorded with only one block size, and a line needs two");
    }
    Ok(times)
}

fn draw(stage: &Stage, panels: &[Vec<Line>], device: &str) -> String {
    let mut body = String::new();
    let mut y = 0.0;
    let mut first_number = 0;
    for lines in panels {
        body += &panel(lines, y + HEADING + chart::ABOVE, first_number);
        let facts = lines[0].rung.work.facts();
        body += &heading(y + 18.0, &format!("{}, {}", facts.letter, facts.title));
        y += HEADING + chart::ABOVE + HEIGHT + chart::BELOW + chart::list_height(lines.len()) + 12.0;
        first_number += lines.len();
    }
    let title = format!("Block sizes of {} on {device}", stage.name);
    let description: Vec<String> = panels.iter().flatten().map(describe).collect();
    let caption = format!(
        "Median time of a run and its range against threads per block, on {}. Both scales are logarithmic; each has its own. The list \
         says where each line is lowest. {}",
        escape(device),
        legend(panels)
    );
    frame(&(open(y as u32, &title, &description.join("; ")) + &body + "</svg>"), &caption)
}

fn legend(panels: &[Vec<Line>]) -> String {
    let mut words = String::new();
    if panels.iter().flatten().any(|line| line.is_baseline) {
        words += "Outlined marks: a rung of an earlier stage.";
    }
    if panels.iter().flatten().any(|line| matches!(line.rung.grid, common::stage::Grid::Stride(_))) {
        words += " A kernel whose grid is free has its fastest grid.";
    }
    words
}

/// Describes a line: `nbody_sim: fastest 0.961 ms at 128, 2.06 times as long at 1024`.
fn describe(line: &Line) -> String {
    let (block, slowest) = line.points().fold((0, 0.0), |worst, point| if point.1 > worst.1 { point } else { worst });
    let ratio = significant(slowest / line.fastest().1);
    format!("{}: fastest {}, {ratio} times as long at {block}", line.rung.kernel, line.best())
}

fn panel(lines: &[Line], top: f64, first_number: usize) -> String {
    let drawn = |line: &Line| chart::Line {
        name: ("code", line.rung.kernel),
        is_baseline: line.is_baseline,
        points: line.times.iter().map(|(&block, timed)| (block.into(), timed.range())).collect(),
        summary: line.best(),
    };
    let medians = lines.iter().flat_map(Line::points).map(|(_, time)| time);
    let lines: Vec<_> = lines.iter().map(drawn).collect();
    let names = ("threads per block", "time of a run");
    let (panel, blocks) = chart::panel(&lines, (top, RIGHT, HEIGHT), medians, names);
    panel.draw(&blocks, (|block| block.to_string(), short_time))
        + &chart::draw(&panel, &lines, first_number, Numbered::Last)
        + &chart::list(&lines, first_number, top + HEIGHT + chart::BELOW)
}
