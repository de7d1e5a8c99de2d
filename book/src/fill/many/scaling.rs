//! `{{strong PROBLEM RANKS}}`: the speedup over one GPU by n. `{{weak PROBLEM RANKS}}`: the same work per GPU.

use super::{Run, Runs, not_recorded, row};
use crate::fill::chart::{self, Numbered};
use crate::fill::figure::{frame, open};
use crate::fill::notation::escape;
use common::format::{milliseconds, percent, thousands};

const RIGHT: f64 = 420.0;
const HEIGHT: f64 = 190.0;

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
    let height = key_top + chart::list_height(lines.len());
    let words: Vec<String> = lines.iter().map(in_words).collect();
    let title = format!("Speedups of {problem} on {}", first.source());
    let mut svg = open(height as u32, &title, &words.join("; "));
    let drawn: Vec<_> = lines.iter().map(drawn).collect();
    svg += &panel(&drawn, ranks);
    svg += &chart::list(&drawn, 0, key_top);
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

fn panel(lines: &[chart::Line], ranks: usize) -> String {
    let speedups = lines.iter().flat_map(|line| &line.points).map(|(_, [speedup, ..])| *speedup);
    let speedups = speedups.chain([ranks as f64]);
    let (panel, mut sizes) = chart::panel(lines, (chart::ABOVE, RIGHT, HEIGHT), speedups, ("n", "× one GPU"));
    let mut last = f64::NEG_INFINITY;
    sizes.retain(|&n| {
        let is_apart = panel.x.at(n) - last > APART;
        last = if is_apart { panel.x.at(n) } else { last };
        is_apart
    });
    // The rungs differ most at the first sizes.
    panel.draw(&sizes, (|n: f64| thousands(n as u64), |speedup: f64| speedup.to_string()))
        + &chart::draw(&panel, lines, 0, Numbered::First)
}

fn drawn<'a>((rung, points): &Line<'a>) -> chart::Line<'a> {
    let best = points.iter().map(|point| point.1).fold(0.0, f64::max);
    chart::Line {
        name: ("code", rung),
        is_baseline: false,
        points: points.iter().map(|&(n, speedup)| (n, [speedup; 3])).collect(),
        summary: format!("{best:.2} ×"),
    }
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
