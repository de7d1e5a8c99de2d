//! `{{many PROBLEM N RANKS}}`: a table of the rungs of a problem at a size.

use super::{Run, Runs, not_recorded, row};
use common::format::{milliseconds, percent, significant};

const HEADINGS: &str = "| rung | compute | exchange | both | predicted | × one GPU | efficiency | bytes per rank |\n\
    |---|--:|--:|--:|--:|--:|--:|--:|\n";

/// Returns a table with one line per recorded rung.
pub fn render(runs: &Runs, problem: &str, size: usize, ranks: usize) -> String {
    let runs: Vec<&Run> = runs.select(problem, ranks).filter(|run| run.size == size).collect();
    let Some(first) = runs.first() else { return not_recorded() };
    let source = format!("\n<p class=\"source\">{}; medians of the slowest rank's times.</p>\n", first.source());
    HEADINGS.to_owned() + &runs.iter().map(|run| line(run)).collect::<String>() + &source
}

fn line(run: &Run) -> String {
    let times = run.times();
    let bytes = run.counts.bytes_received;
    let exchange = if bytes > 0.0 { milliseconds(times.exchange) } else { "–".into() };
    let cells = [
        format!("`{}`", run.rung),
        milliseconds(times.compute),
        exchange,
        milliseconds(times.total),
        run.predicted_ms.map_or("–".into(), milliseconds),
        format!("{:.2}", times.speedup()),
        percent(times.speedup() / run.ranks as f64),
        if bytes > 0.0 { significant(bytes) } else { "0".into() },
    ];
    row(cells)
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;
    use crate::fill::records::NOT_RECORDED;

    #[test]
    fn a_line_has_the_rung_and_what_it_gains() {
        let runs = Runs(vec![run("all_gather", 64, 2, 1.5), run("ring", 64, 4, 3.0)]);
        let text = render(&runs, "A", 64, 2);
        assert!(text.contains("`all_gather`") && text.contains("| 1.50 | 75\u{a0}% |"), "{text}");
        assert!(!text.contains("`ring`") && text.contains("2 × a GPU, driver 1, 2026-11-22"), "{text}");
        assert!(render(&runs, "C", 64, 2).contains(NOT_RECORDED));
    }
}
