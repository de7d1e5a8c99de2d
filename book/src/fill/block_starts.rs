//! `{{starts KERNEL …}}`: the time of a run divided by its blocks, by threads per block, above the time that an empty block takes.
//!
//! A GPU starts blocks one after another at a fixed rate. A kernel whose line lies on that of an empty block is limited by
//! block starts, whatever its threads do.

use super::chart::{self, LEFT, Numbered, line, text};
use super::devices::Device;
use super::figure::{frame, open};
use super::kernels::{Kernel, STAGES};
use super::notation::escape;
use super::records::{NOT_RECORDED, Records, Timed};
use super::{peaks, sweep, version};
use anyhow::{Result, bail};
use common::ceilings::Quantity;
use common::format::nanoseconds;
use common::stage::{Grid, Rung};

const RIGHT: f64 = 440.0;
const HEIGHT: f64 = 190.0;

/// The least of the vertical scale, relative to the time of an empty block, below which its name has room.
const ROOM: f64 = 0.5;

/// A kernel with a number of threads per block.
struct Point {
    threads: u32,
    /// The nanoseconds per block: the least, the median and the most.
    times: [f64; 3],
}

impl Point {
    fn new(rung: &Rung, timed: &Timed) -> Self {
        let blocks = f64::from(timed.blocks()) * f64::from(rung.work.facts().launches_of_a_run(&timed.size()));
        Self { threads: timed.block(), times: timed.range().map(|time| time * 1e6 / blocks) }
    }

    fn median(&self) -> f64 {
        self.times[1]
    }

    /// Describes the point: `0.615 ns at 64`.
    fn words(&self) -> String {
        format!("{} at {}", nanoseconds(self.median()), self.threads)
    }
}

/// A kernel at some numbers of threads per block.
struct Line {
    rung: &'static Rung,
    points: Vec<Point>,
    /// The device, its driver and the day of the run.
    source: String,
}

impl Line {
    /// Returns the line of the kernel's latest sweep: several stages may have one. `None` if there is none.
    fn latest(name: &str, sweeps: &[Records]) -> Result<Option<Self>> {
        let rung = Kernel::find(name)?.rung;
        let date = |sweep: &Records| {
            let dates = sweep.list().iter().filter(|record| record.kernel == name).map(|record| record.date.clone());
            dates.max()
        };
        let dated = sweeps.iter().filter_map(|sweep| Some((date(sweep)?, sweep)));
        let Some((_, sweep)) = dated.max_by(|one, other| one.0.cmp(&other.0)) else { return Ok(None) };
        let times = sweep::fastest_of_each_block(sweep, name)?;
        let source = times.values().next().map(Timed::device).unwrap_or_default();
        let points = times.values().map(|timed| Point::new(rung, timed)).collect();
        Ok(Some(Self { rung, points, source }))
    }

    /// Returns the block size with the least time: `0.615 ns at 64`.
    fn least(&self) -> String {
        let least = self.points.iter().min_by(|one, other| one.median().total_cmp(&other.median()));
        least.map(Point::words).unwrap_or_default()
    }
}

/// Returns the chart of these kernels, with its source below it and the kernels without a sweep named.
///
/// # Errors
/// Returns an error if there is no such kernel, if one is recorded with only one block size, or if a record has wrong results or no
/// time.
pub fn render(names: &[&str], device: &Device) -> Result<String> {
    if names.is_empty() {
        bail!("name the kernels to show");
    }
    let sweeps = STAGES.iter().map(|stage| Records::others(&device.folder, stage.name, "sweep"));
    let sweeps = sweeps.collect::<Result<Vec<_>>>()?;
    let lines = names.iter().map(|name| Line::latest(name, &sweeps)).collect::<Result<Vec<_>>>()?;
    let missing: Vec<&str> =
        names.iter().zip(&lines).filter(|(_, line)| line.is_none()).map(|(name, _)| *name).collect();
    let lines: Vec<Line> = lines.into_iter().flatten().collect();
    let empty = empty_block(device)?;
    let chart = if lines.is_empty() { String::new() } else { draw(&lines, empty) };
    Ok(chart + &version::gaps(&missing))
}

/// Returns the nanoseconds between two starts of empty blocks; `None` if their rate is not recorded.
fn empty_block(device: &Device) -> Result<Option<f64>> {
    Ok(peaks::highest(&device.list("limits.json")?, Quantity::Blocks).map(|rate| 1e9 / rate))
}

fn draw(lines: &[Line], empty: Option<f64>) -> String {
    let key_top = chart::ABOVE + HEIGHT + chart::BELOW;
    let height = key_top + chart::list_height(lines.len());
    let drawn = |line: &Line| chart::Line {
        name: ("code", line.rung.kernel),
        is_baseline: false,
        points: line.points.iter().map(|point| (point.threads.into(), point.times)).collect(),
        summary: line.least(),
    };
    let times = lines.iter().flat_map(|line| &line.points).flat_map(|point| point.times);
    let times = times.chain(empty.map(|empty| empty * ROOM));
    let drawn: Vec<_> = lines.iter().map(drawn).collect();
    let names = ("threads per block", "time of a run ÷ its blocks");
    let (panel, blocks) = chart::panel(&drawn, (chart::ABOVE, RIGHT, HEIGHT), times, names);
    let mut svg = open(height as u32, "Time per block against threads per block", &description(lines, empty));
    svg += &panel.draw(&blocks, (|block| block.to_string(), |time| format!("{time} ns")));
    if let Some(empty) = empty {
        let y = panel.y.at(empty);
        svg += &line("roof dashed", (LEFT, y), (RIGHT, y));
        svg += &text(RIGHT, y + 16.0, "end halo", &format!("an empty block: {}", nanoseconds(empty)));
    }
    svg += &chart::draw(&panel, &drawn, 0, Numbered::Last);
    svg += &chart::list(&drawn, 0, key_top);
    frame(&(svg + "</svg>"), &caption(lines, empty))
}

fn description(lines: &[Line], empty: Option<f64>) -> String {
    let empty = empty.map_or(NOT_RECORDED.to_owned(), nanoseconds);
    let mut words = vec![format!("An empty block: {empty}")];
    words.extend(lines.iter().map(|line| {
        let places: Vec<String> = line.points.iter().map(Point::words).collect();
        format!("{}: {}", line.rung.kernel, places.join(", "))
    }));
    words.join("; ")
}

fn caption(lines: &[Line], empty: Option<f64>) -> String {
    let mut sources: Vec<&str> = lines.iter().map(|line| line.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    let dashed = match empty {
        Some(_) => "Dashed: the measured time from the start of an empty block to the start of the next.",
        None => "The time of an empty block is not recorded.",
    };
    let is_free = |line: &Line| matches!(line.rung.grid, Grid::Stride(_));
    let grids =
        if lines.iter().any(is_free) { " A kernel whose grid is free has the blocks of its own launch." } else { "" };
    escape(&format!(
        "Median time of a run, and its range, divided by the number of its blocks, against threads per block. {dashed} A kernel near it is \
         limited by block starts. Both scales are logarithmic; the list says where each line is lowest.{grids} {}.",
        sources.join("; ")
    ))
}
