//! `{{strong PROBLEM RANKS}}`: the speedup over one GPU by n. `{{weak PROBLEM RANKS}}`: the same work per GPU.

use super::{Run, Runs, not_recorded, row};
use crate::fill::chart::{self, Keyed, Labels, Log, Panel, series};
use crate::fill::figure::{frame, open};
use crate::fill::notation::escape;
use common::format::{milliseconds, percent, thousands};
use std::collections::BTreeSet;

const LEFT: f64 = 62.0;
const RIGHT: f64 = 420.0;
const HEIGHT: f64 = 190.0;
const KEY_HEIGHT: f64 = 22.0;

/// The least distance of numbers on the axis.
const APART: f64 = 60.0;

/// A rung's name, with the n and the speedup of each size.
type Line<'a> = (&'a str, Vec<(f64, f64)>);

/// Returns the speedups of the rungs as a chart.
pub fn strong(runs: &Runs, problem: &str, ranks: usize) -> String {
    let runs: Vec<&Run> = runs.select(problem, ranks).collect();
    let lines = lines(&runs);
    let (Some(first), false) = (runs.first(), lines.is_empty()) else {
        return not_recorded();
    };
    let key_top = chart::ABOVE + HEIGHT + chart::BELOW;
    let height = key_top + KEY_HEIGHT * lines.len() as f64 + 6.0;
    let words: Vec<String> = lines.iter().map(in_words).collect();
    let title = format!("Speedups of {problem} on {}", first.source());
    let mut svg = open(height as u32, &title, &words.join("; "));
    svg += &panel(&lines, ranks);
    for (index, line) in lines.iter().enumerate() {
        svg += &key(line, index, key_top + KEY_HEIGHT * index as f64 + 14.0);
    }
    let caption = format!(
        "Time of the same work on one GPU over that on {ranks}, against n; {}. The list says the largest.",
        escape(&first.source())
    );
    frame(&(svg + "</svg>"), &caption)
}

/// Returns the rungs with at least two sizes, in increasing order of sizes.
fn lines<'a>(runs: &[&'a Run]) -> Vec<Line<'a>> {
    let mut lines: Vec<Line> = Vec::new();
    for run in runs {
        let point = (run.size as f64, run.times().speedup());
        match lines.iter_mut().find(|(rung, _)| *rung == run.rung) {
            Some((_, points)) => points.push(point),
            None => lines.push((&run.rung, vec![point])),
        }
    }
    lines.iter_mut().for_each(|(_, points)| points.sort_by(|one, other| one.0.total_cmp(&other.0)));
    lines.retain(|(_, points)| points.len() > 1);
    lines
}

fn panel(lines: &[Line], ranks: usize) -> String {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let sizes: BTreeSet<u64> = points().map(|point| point.0 as u64).collect();
    let sizes: Vec<f64> = sizes.into_iter().map(|n| n as f64).collect();
    let top = chart::ABOVE;
    let bottom = chart::ABOVE + HEIGHT;
    let panel = Panel {
        frame: (LEFT, top, RIGHT, bottom),
        x: Log::between(sizes[0], sizes[sizes.len() - 1], LEFT + 14.0, RIGHT - 14.0),
        y: Log::over(points().map(|point| point.1).chain([ranks as f64]), bottom, top),
        names: ("n", "× one GPU"),
    };
    let mut last = f64::NEG_INFINITY;
    let numbers: Vec<f64> = sizes
        .iter()
        .copied()
        .filter(|&n| {
            let is_apart = panel.x.at(n) - last > APART;
            last = if is_apart { panel.x.at(n) } else { last };
            is_apart
        })
        .collect();
    let mut svg = panel.draw(&numbers, (|n: f64| thousands(n as u64), |speedup: f64| speedup.to_string()));
    let place = |point: &(f64, f64)| (panel.x.at(point.0), panel.y.at(point.1));
    let mut labels = Labels::default();
    points().map(place).for_each(|(x, y)| labels.keep_free(x, y));
    for (index, (_, points)) in lines.iter().enumerate() {
        let places: Vec<(f64, f64)> = points.iter().map(place).collect();
        svg += &series(index, false, &places);
        // The rungs differ most here.
        if let Some(&(x, y)) = places.first() {
            svg += &labels.write(x, y, index);
        }
    }
    svg
}

fn best(points: &[(f64, f64)]) -> f64 {
    points.iter().map(|point| point.1).fold(0.0, f64::max)
}

fn key((rung, points): &Line, index: usize, y: f64) -> String {
    let line = Keyed { number: index, look: index, is_baseline: false };
    chart::key(line, y, ("code", rung), &format!("{:.2} ×", best(points)))
}

fn in_words((rung, points): &Line) -> String {
    let point = |(n, speedup): &(f64, f64)| format!("{speedup:.2} at {}", thousands(*n as u64));
    format!("{rung}: {}", points.iter().map(point).collect::<Vec<_>>().join(", "))
}

/// Returns a table with each size on one GPU, and on several GPUs the size with the same work per GPU.
pub fn weak(runs: &Runs, problem: &str, ranks: usize) -> String {
    let runs: Vec<&Run> = runs.select(problem, ranks).collect();
    let Some(first) = runs.first() else { return not_recorded() };
    let mut text = format!("| rung | n on one GPU | its time | n on {ranks} | their time | efficiency |\n");
    text += "|---|--:|--:|--:|--:|--:|\n";
    for large in &runs {
        let small = runs.iter().find(|small| small.rung == large.rung && is_share(small, large, ranks));
        if let Some(small) = small {
            let alone = small.times().alone;
            let total = large.times().total;
            let cells = [
                format!("`{}`", large.rung),
                thousands(small.size as u64),
                milliseconds(alone),
                thousands(large.size as u64),
                milliseconds(total),
                percent(alone / total),
            ];
            text += &row(cells);
        }
    }
    text + &format!("\n<p class=\"source\">{}.</p>\n", first.source())
}

/// Returns whether the larger run has the same work per rank as the smaller run on one GPU, also if work grows as the square of n.
fn is_share(small: &Run, large: &Run, ranks: usize) -> bool {
    let grown = large.size as f64 / small.size as f64;
    let work = if large.problem == "C" { grown } else { grown * grown };
    (work / ranks as f64 - 1.0).abs() < 1e-3
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;
    use crate::fill::records::NOT_RECORDED;

    #[test]
    fn speedups_are_drawn_for_rungs_of_several_sizes() {
        let runs = Runs(vec![run("ring", 64, 2, 1.5), run("ring", 1024, 2, 1.9), run("lonely", 64, 2, 1.0)]);
        let svg = strong(&runs, "A", 2);
        assert!(svg.contains("ring: 1.50 at 64, 1.90 at 1,024") && svg.contains(">1.90 ×<"), "{svg}");
        assert!(!svg.contains("lonely"));
        assert!(strong(&runs, "A", 4).contains(NOT_RECORDED));
    }

    #[test]
    fn weak_scaling_pairs_sizes_of_the_same_work_per_gpu() {
        let runs = Runs(vec![run("ring", 16384, 2, 1.5), run("ring", 23170, 2, 1.0)]);
        let text = weak(&runs, "A", 2);
        assert!(text.contains("| 16,384 | 15.0\u{a0}ms | 23,170 | 10.0\u{a0}ms | 150"), "{text}");
        assert_eq!(text.matches("`ring`").count(), 1);
    }
}
