//! `{{evaluated SET WHAT}}`, `{{families SET}}` and `{{outside SET}}`: the estimates of all recorded launches, from `book/evaluation.json`.

use super::errors::{Estimated, Judged, MACHINE_CODE, mean_percent, median, order, sorted, split_way};
use super::estimate_kernels::launch;
use crate::build::files_below;
use crate::fill::Sources;
use crate::fill::kernels::STAGES;
use crate::fill::notation::escape;
use crate::fill::records;
use anyhow::{Context, Result, bail};
use common::format::{DASH, milliseconds, percent, thousands};
use common::problem::{Parameters, Size};
use common::stage::{Plan, Shape};
use predict::Way;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Launches whose estimates are judged together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Set {
    /// The launch shapes of `--sweep`, on an H200.
    Shapes,
    /// The tables and launch shapes on an H100.
    H100,
    /// Other sizes, on an H200.
    Sizes,
}

fn is_from_ptx(way: &Way) -> bool {
    *way == Way::Ptx
}

/// A recorded launch and its estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The set.
    pub set: Set,
    /// What the estimate was asked to be made from. It is from PTX if the machine code cannot be followed.
    #[serde(default, skip_serializing_if = "is_from_ptx")]
    pub way: Way,
    /// The letter of the problem.
    pub problem: String,
    /// The published name of the kernel.
    pub kernel: String,
    /// The number of elements.
    pub size: usize,
    /// The problem's own options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Parameters>,
    /// The blocks of the grid.
    pub grid: [u32; 3],
    /// The threads of a block.
    pub block: [u32; 3],
    /// The median of the recorded times, in nanoseconds.
    pub measured_ns: u64,
    /// The estimate, or the reason why there is none.
    pub estimate: Result<Estimated, String>,
}

/// The file.
#[derive(Serialize, Deserialize)]
pub struct Evaluation {
    /// The SHA-256 of the sources of the model.
    pub sources: String,
    /// The number of recorded launches that have not been estimated yet.
    pub missing: usize,
    /// The points.
    pub points: Vec<Point>,
}

/// Returns the file of the points.
pub fn file(book: &Path) -> PathBuf {
    book.join("evaluation.json")
}

/// Returns the SHA-256 of the sources of the model, in hexadecimal.
///
/// # Errors
/// Returns an error if a source cannot be read.
pub fn sources(book: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files_below(&book.join("../emulator/predict/src"), &|_| true)? {
        hash.update(fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Sources {
    /// Reads the points of a set, from the PTX, or from machine code if its name ends so.
    pub(crate) fn evaluation(&self, name: &str) -> Result<(Vec<Point>, usize)> {
        let (set, way) = split_way(name);
        let Ok(set) = serde_json::from_value::<Set>(set.into()) else {
            bail!(
                "there is no set {set}; the sets are shapes, sizes and h100, with {MACHINE_CODE} behind them or without"
            )
        };
        let all: Evaluation = records::read(&file(&self.book))?;
        Ok((all.points.into_iter().filter(|point| (point.set, point.way) == (set, way)).collect(), all.missing))
    }
}

impl Judged for Point {
    fn measured_ns(&self) -> u64 {
        self.measured_ns
    }

    fn estimated(&self) -> Option<&Estimated> {
        self.estimate.as_ref().ok()
    }

    fn is_like(&self, other: &Self) -> bool {
        (&self.problem, self.size, &self.parameters) == (&other.problem, other.size, &other.parameters)
    }
}

impl Point {
    fn measured(&self) -> f64 {
        self.measured_ns as f64
    }

    /// Returns whether the launch has the default shape of its kernel.
    fn is_default(&self) -> bool {
        let Some(rung) = STAGES.iter().flat_map(|stage| stage.rungs).find(|rung| rung.kernel == self.kernel) else {
            return false;
        };
        let parameters = self.parameters.clone().unwrap_or_default();
        let size = Size { parameters, ..Size::new(self.size) };
        let plan = Plan::new(rung, size, Shape::block(rung.block));
        plan.is_ok_and(|plan| launch(&plan) == (self.grid, self.block))
    }
}

/// The numbers of a set.
const NUMBERS: &str = "points, missing, mean, median, worst, band, order, lost, unchanged, ratio";

/// Returns one number of a set.
///
/// # Errors
/// Returns an error if no point has an estimate, or one that lists the numbers if there is no such number.
pub fn number(points: &[Point], missing: usize, what: &str) -> Result<String> {
    let errors = sorted(points.iter().filter_map(Point::error).map(f64::abs));
    if errors.is_empty() {
        bail!("no launch of this set has an estimate");
    }
    let share = |(some, all): (usize, usize)| format!("{some} of {all}");
    Ok(match what {
        "points" => share((errors.len(), points.len())),
        "missing" => missing.to_string(),
        "mean" => mean_percent(&errors),
        "median" => percent(median(&errors)),
        "worst" => percent(errors[errors.len() - 1]),
        "band" => share((points.iter().filter(|point| point.is_in_band()).count(), errors.len())),
        "order" => share(order(points)),
        "lost" => mean_percent(&lost(points)),
        "unchanged" => mean_percent(&differences(points).map(|[unchanged, _]| unchanged).collect::<Vec<_>>()),
        "ratio" => mean_percent(&differences(points).map(|[_, ratio]| ratio).collect::<Vec<_>>()),
        _ => bail!("no number {what}; there are {NUMBERS}"),
    })
}

/// Returns, for each kernel and size with several launch shapes, the time that is lost if the shape is used whose estimate is
/// the lowest, relative to the best one.
fn lost(points: &[Point]) -> Vec<f64> {
    let is_one = |one: &&Point, other: &&Point| one.kernel == other.kernel && one.is_like(other);
    let mut estimated: Vec<&Point> = points.iter().filter(|point| point.ns().is_some()).collect();
    estimated.sort_by_key(|point| (&point.problem, &point.kernel, point.size));
    let shapes = estimated.chunk_by(is_one).filter(|shapes| shapes.len() > 1);
    let loss = |shapes: &[&Point]| {
        let chosen =
            shapes.iter().min_by(|one, other| f64::total_cmp(&one.ns().unwrap_or(0.0), &other.ns().unwrap_or(0.0)));
        let best = shapes.iter().map(|point| point.measured_ns).min();
        chosen.zip(best).map(|(chosen, best)| chosen.measured() / best as f64 - 1.0)
    };
    shapes.filter_map(loss).collect()
}

/// Returns, for each launch that differs from the default one of its kernel, the errors of the guesses by the default one.
fn differences(points: &[Point]) -> impl Iterator<Item = [f64; 2]> {
    points.iter().filter(|point| point.is_default()).flat_map(move |base| {
        let is_other = move |other: &&Point| *other != base && other.kernel == base.kernel && other.is_like(base);
        points.iter().filter(is_other).filter_map(|other| base.guesses(other))
    })
}

/// Returns the errors by problem and the reasons for which launches have no estimate, as a table and a list.
pub fn families(points: &[Point]) -> Result<String> {
    let mut problems: Vec<&str> = points.iter().map(|point| point.problem.as_str()).collect();
    problems.sort_unstable();
    problems.dedup();
    let mut text =
        "| | estimated | mean error | largest | in the range | right order |\n|---|--:|--:|--:|--:|--:|\n".to_owned();
    for problem in problems {
        let all: Vec<Point> = points.iter().filter(|point| point.problem == problem).cloned().collect();
        let number = |what| number(&all, 0, what);
        text += &if all.iter().any(|point| point.estimate.is_ok()) {
            let numbers = [number("points")?, number("mean")?, number("worst")?, number("band")?, number("order")?];
            format!("| {problem} | {} |\n", numbers.join(" | "))
        } else {
            format!("| {problem} | 0 of {} | {DASH} | {DASH} | {DASH} | {DASH} |\n", all.len())
        };
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in points.iter().filter_map(|point| point.estimate.as_ref().err()) {
        *reasons.entry(reason).or_default() += 1;
    }
    let reasons = reasons.iter().map(|(reason, count)| format!("- {count}: {}\n", escape(reason)));
    Ok(text + "\nWithout an estimate:\n\n" + &reasons.collect::<String>())
}

/// Returns the launches outside of the band, as a table.
pub fn outside(points: &[Point]) -> String {
    let mut text =
        "| | kernel | size | grid × block | measured | estimate | error |\n|---|---|--:|--:|--:|--:|--:|\n".to_owned();
    for point in points.iter().filter(|point| !point.is_in_band()) {
        let (Some(ns), Some(error)) = (point.ns(), point.error()) else { continue };
        text += &format!(
            "| {} | `{}` | {} | {} | {} | {} | {:+.0} % |\n",
            point.problem,
            point.kernel,
            thousands(point.size as u64),
            records::launch(point.grid, point.block),
            milliseconds(point.measured() / 1e6),
            milliseconds(ns / 1e6),
            error * 100.0,
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use predict::Limiter;

    fn point(block: u32, measured_ns: u64, ns: u64) -> Point {
        let estimate =
            Estimated { ns, band_ns: (ns * 85 / 100, ns * 3 / 2), limiter: Limiter::Issue, is_followed: false };
        Point {
            set: Set::Shapes,
            way: Way::Ptx,
            problem: "A".into(),
            kernel: "computeForces".into(),
            size: 16384,
            parameters: None,
            grid: [16384 / block, 1, 1],
            block: [block, 1, 1],
            measured_ns,
            estimate: Ok(estimate),
        }
    }

    #[test]
    fn the_numbers_of_a_set_are_those_that_a_hand_computes() {
        // 128 is the default; 256 is estimated to be the best shape, and takes a quarter more than 64, the best.
        let points = [point(128, 1000, 1000), point(256, 1000, 800), point(64, 800, 960)];
        let number = |what| number(&points, 7, what).unwrap();
        assert_eq!((number("points"), number("missing"), number("worst")), ("3 of 3".into(), "7".into(), percent(0.2)));
        assert_eq!((number("band"), number("lost")), ("2 of 3".into(), percent(0.25)));
        // 64 is faster than both by 1.25, and not estimated so for 256.
        assert_eq!(number("order"), "1 of 2");
        // Without a ratio: 1000 for 1000 and for 800; with it: 800 for 1000 and 960 for 800.
        assert_eq!((number("unchanged"), number("ratio")), (percent(0.125), percent(0.2)));
        let one = [points[0].clone()];
        assert_eq!(["lost", "unchanged"].map(|what| super::number(&one, 0, what).unwrap()), ["-"; 2]);
        let text = families(&points).unwrap();
        assert!(text.contains("| A | 3 of 3 |") && text.contains("| 2 of 3 | 1 of 2 |"), "{text}");
        let table = outside(&points);
        assert!(table.contains("| 256 × 64 |") && !table.contains("| 64 × 256 |"), "{table}");
    }
}
