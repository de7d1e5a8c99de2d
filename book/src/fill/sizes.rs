//! Recorded times, and rates relative to the peak, by n: two panels with a line per kernel.

use super::chart::{self, Numbered, short_time};
use super::figure::{frame, open};
use super::ladder::peak;
use super::notation::{escape, power};
use super::records::{Records, Timed};
use anyhow::{Result, bail};
use common::format::{milliseconds, percent, thousands};
use common::problem::Facts;
use common::stage::{Rung, Stage};
use common::timing::Timing;

const RIGHT: f64 = 420.0;
const HEIGHT: f64 = 170.0;

/// The top of the second panel.
const BETWEEN: f64 = chart::ABOVE + HEIGHT + chart::BELOW + 22.0 + chart::ABOVE;

/// The name of the second axis.
const RATIO: &str = "nominal rate ÷ peak";

/// The number of sizes above which only every second one has a label.
const MAX_NUMBERS: usize = 7;

/// A kernel at a size.
struct Point {
    /// The number of bodies, rows or points.
    n: u64,
    /// The time in milliseconds.
    time: Timing,
    /// The nominal rate divided by the device's peak.
    share: f64,
}

/// The points of a kernel, smaller sizes first.
struct Line {
    rung: &'static Rung,
    is_baseline: bool,
    points: Vec<Point>,
}

impl Line {
    /// Returns the kernel at each of its recorded sizes.
    fn new(stage: &Stage, rung: &'static Rung, sizes: &Records, axis: Axis) -> Result<Self> {
        let timed = sizes.all_of(rung.kernel)?;
        let mut points: Vec<Point> = timed.iter().filter_map(|timed| point(rung, timed, axis)).collect();
        points.sort_by_key(|point| point.n);
        if points.len() < 2 {
            bail!("{} is recorded at only {} size, and a line needs two", rung.kernel, points.len());
        }
        Ok(Self { rung, is_baseline: stage.is_baseline(rung), points })
    }

    /// Returns the largest quotient of rate and peak, and the smallest size with half of it, below which the problem is too small.
    fn best(&self) -> (f64, u64) {
        let best = self.points.iter().map(|point| point.share).fold(0.0, f64::max);
        let half = self.points.iter().find(|point| point.share >= best / 2.0);
        (best, half.map_or(0, |point| point.n))
    }

    /// Summarizes the line: `87 %, half of it from 8,192`.
    fn summary(&self) -> String {
        let (best, half) = self.best();
        format!("{}, half of it from {}", percent(best), thousands(half))
    }

    /// Describes every point for the text alternative.
    fn words(&self) -> String {
        let point = |point: &Point| {
            format!("{} and {} at {}", milliseconds(point.time.median), percent(point.share), thousands(point.n))
        };
        let points: Vec<String> = self.points.iter().map(point).collect();
        format!("{}: {}; at best {}", self.rung.kernel, points.join(", "), self.summary())
    }

    /// Returns the line of one panel.
    fn drawn(&self, range: fn(&Point) -> [f64; 3]) -> chart::Line<'_> {
        chart::Line {
            name: ("code", self.rung.kernel),
            is_baseline: self.is_baseline,
            points: self.points.iter().map(|point| (point.n as f64, range(point))).collect(),
            summary: self.summary(),
        }
    }
}

/// The quantity that differs between the sizes.
#[derive(Clone, Copy, PartialEq)]
enum Axis {
    /// The number of elements, `--n`.
    N,
    /// The points of a plane, with the same number of elements.
    Plane,
}

fn point(rung: &Rung, timed: &Timed, axis: Axis) -> Option<Point> {
    let n = match axis {
        Axis::N => timed.record.size as u64,
        Axis::Plane => (rung.work.facts().extents)(&timed.size()).into_iter().map(u64::from).product(),
    };
    Some(Point { n, time: timed.time, share: timed.record.limit_share? })
}

/// Returns the chart of kernels of one problem, with its source below it and without kernels that are not recorded.
///
/// # Errors
/// Returns an error if the kernels are of several problems, or if one is recorded at only one size.
pub fn render(stage: &Stage, rungs: &[&'static Rung], sizes: &Records) -> Result<String> {
    let Some(facts) = rungs.first().map(|rung| rung.work.facts()) else { bail!("name the kernels to show") };
    if let Some(other) = rungs.iter().find(|rung| rung.work.facts() != facts) {
        bail!("{} is of problem {}, not of {}", other.kernel, other.work.facts().letter, facts.letter);
    }
    let of = |rung: &Rung| sizes.list().iter().filter(|record| record.kernel == rung.kernel).collect::<Vec<_>>();
    let recorded = || rungs.iter().filter(|rung| !of(rung).is_empty());
    let mut ns = recorded().flat_map(|rung| of(rung)).map(|record| record.size);
    let first = ns.next();
    let axis = if ns.all(|n| Some(n) == first) { Axis::Plane } else { Axis::N };
    let lines = recorded().map(|rung| Line::new(stage, rung, sizes, axis)).collect::<Result<Vec<_>>>()?;
    // Kernels without a record are named below the chart.
    let Some(device) = lines.first().map(|line| sizes.find(line.rung.kernel)).transpose()?.flatten() else {
        return Ok(String::new());
    };
    Ok(draw(facts, axis, &lines, &device))
}

fn draw(facts: &Facts, axis: Axis, lines: &[Line], first: &Timed) -> String {
    let key_top = BETWEEN + HEIGHT + chart::BELOW;
    let height = key_top + chart::list_height(lines.len());
    let title = format!("Times and rates against n of {}, {}, on {}", facts.letter, facts.title, first.device());
    let words: Vec<String> = lines.iter().map(Line::words).collect();
    let unit = unit(facts, axis, first);
    let mut svg = open(height as u32, &title, &words.join("; "));
    let drawn = |range| lines.iter().map(|line| line.drawn(range)).collect::<Vec<_>>();
    let times = drawn(|point| [point.time.low, point.time.median, point.time.high]);
    let shares = drawn(|point| [point.share; 3]);
    svg += &panel(&times, chart::ABOVE, (&unit, "time of a run"), short_time, Numbered::Nowhere);
    svg += &panel(&shares, BETWEEN, (&unit, RATIO), peak_share, Numbered::Last);
    svg += &chart::list(&shares, 0, key_top);
    let baselines =
        if lines.iter().any(|line| line.is_baseline) { " Outlined: a rung of an earlier stage." } else { "" };
    let caption = format!(
        "Median time of a run with its range, and the nominal rate divided by the peak, against the number of {unit}, on {}. \
         The rate counts what the formula needs; the peak is that of the tables, {}. All scales are logarithmic. The list \
         says the largest quotient, and from which size on half of it is reached.{baselines}",
        escape(&first.device()),
        peak(facts),
    );
    frame(&(svg + "</svg>"), &caption)
}

/// Returns the unit of the sizes: `bodies`, or `points` for a plane, the last word of its `512 x 512 points`.
fn unit(facts: &Facts, axis: Axis, timed: &Timed) -> String {
    let described = (facts.describe)(&timed.size().parameters);
    let of_plane = described.rsplit(' ').next().filter(|word| axis == Axis::Plane && !word.is_empty());
    of_plane.unwrap_or(facts.units()).to_owned()
}

fn panel(lines: &[chart::Line], top: f64, names: (&str, &str), write: fn(f64) -> String, numbered: Numbered) -> String {
    let values = lines.iter().flat_map(|line| &line.points).flat_map(|(_, range)| *range);
    let (panel, mut sizes) = chart::panel(lines, (top, RIGHT, HEIGHT), values, names);
    if sizes.len() > MAX_NUMBERS {
        sizes = sizes.into_iter().step_by(2).collect();
    }
    panel.draw(&sizes, (size, write)) + &chart::draw(&panel, lines, 0, numbered)
}

/// Returns a size for the axis: `2¹⁴`, or `1,000` if it is not a power of two.
fn size(n: f64) -> String {
    let n = n as u64;
    if !n.is_power_of_two() {
        return thousands(n);
    }
    power(2, n.ilog2())
}

/// Returns a quotient for an axis: `0.5 %`, `20 %`.
fn peak_share(share: f64) -> String {
    format!("{} %", (share * 1e6).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_two_where_they_can_be() {
        assert_eq!([1024.0, 1_048_576.0, 1000.0].map(size), ["2¹⁰", "2²⁰", "1,000"]);
    }

    #[test]
    fn shares_on_an_axis_are_round() {
        assert_eq!([0.005, 0.2, 1.0, 0.0002].map(peak_share), ["0.5 %", "20 %", "100 %", "0.02 %"]);
    }
}
