//! The records of problems on several GPUs, `stage07.json`: tables, curves and timelines, and the predictions of the stage's
//! model for more GPUs.

mod paper;
mod scaling;
mod timeline;

pub use paper::render as paper;
pub use scaling::{strong, weak};
pub use timeline::render as timeline;

use super::Sources;
use super::records::{NOT_RECORDED, text_of};
use anyhow::{Context, Result, bail};
use common::format::{milliseconds, percent, significant};
use serde::Deserialize;
use stage07_many::ranks::measure::Times;
use stage07_many::ranks::model::Link;

/// The name of stage 7's record in the folder of a device.
pub const FILE: &str = "stage07.json";

/// A run of a rung at one size on a number of ranks.
#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    problem: String,
    #[serde(alias = "kernel")]
    rung: String,
    size: usize,
    ranks: usize,
    device: String,
    driver: String,
    date: String,
    verified: bool,
    times_ms: Option<Times>,
    link: Option<Link>,
    predicted_ms: Option<f64>,
    counts: Counts,
    #[serde(default)]
    timelines: Vec<Vec<Span>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Counts {
    bytes_received: f64,
}

/// A kernel or a transfer of a step. Times are in milliseconds from the start of the step.
#[derive(Clone, Debug, Deserialize)]
struct Span {
    what: String,
    stream: String,
    begin: f64,
    end: f64,
}

/// All recorded runs.
#[derive(Debug, Default)]
pub struct Runs(Vec<Run>);

impl Sources {
    /// Reads the runs of the chosen device; none if there is no file.
    pub(super) fn many(&self) -> Result<Runs> {
        let file = self.device()?.folder.join(FILE);
        if !file.is_file() {
            return Ok(Runs::default());
        }
        let runs: Vec<Run> = serde_json::from_str(&text_of(&file)?)
            .with_context(|| format!("{} is not a list of records of stage 7", file.display()))?;
        Ok(Runs(runs.into_iter().filter(|run| run.verified && run.times_ms.is_some()).collect()))
    }
}

impl Runs {
    /// Returns the runs of a problem on this number of ranks, in the order of the record.
    fn select<'a>(&'a self, problem: &'a str, ranks: usize) -> impl Iterator<Item = &'a Run> {
        self.0.iter().filter(move |run| run.problem == problem && run.ranks == ranks)
    }

    fn one(&self, rung: &str, size: usize, ranks: usize) -> Option<&Run> {
        self.0.iter().find(|run| run.rung == rung && run.size == size && run.ranks == ranks)
    }

    /// Returns the replacement of `{{on_ranks RUNG N RANKS WHAT}}`.
    ///
    /// # Errors
    /// Returns an error if `what` is not a number of a run.
    pub fn number(&self, [rung, size, ranks, what]: [&str; 4]) -> Result<String> {
        let Some(run) = self.one(rung, parse_number(size)?, parse_number(ranks)?) else {
            return Ok(NOT_RECORDED.into());
        };
        let times = run.times();
        Ok(match what {
            "speedup" => format!("{:.2}", times.speedup()),
            "efficiency" => percent(times.speedup() / run.ranks as f64),
            "alone" => milliseconds(times.alone),
            "compute" => milliseconds(times.compute),
            "exchange" => milliseconds(times.exchange),
            "total" => milliseconds(times.total),
            "predicted" => run.predicted_ms.map_or(NOT_RECORDED.into(), milliseconds),
            "bandwidth" => {
                run.link.map_or(NOT_RECORDED.into(), |link| format!("{} GB/s", significant(link.bandwidth / 1e6)))
            }
            "latency" => run.link.map_or(NOT_RECORDED.into(), |link| milliseconds(link.latency)),
            _ => bail!("there are speedup, efficiency, alone, compute, exchange, total, predicted, bandwidth, latency"),
        })
    }
}

impl Run {
    fn times(&self) -> Times {
        // `many` keeps only runs with times.
        const NONE: f64 = f64::NAN;
        let none = Times { alone: NONE, compute: NONE, exchange: NONE, total: NONE, range: [NONE; 2], runs: 0 };
        self.times_ms.unwrap_or(none)
    }

    /// Returns the source: `2 × NVIDIA H200, driver 580.159.04 (CUDA 13.0), 2026-11-22`.
    fn source(&self) -> String {
        let day = self.date.split('T').next().unwrap_or_default();
        format!("{} × {}, driver {}, {day}", self.ranks, self.device, self.driver)
    }
}

/// Returns a line of a table.
fn row<const N: usize>(cells: [String; N]) -> String {
    format!("| {} |\n", cells.map(|cell| cell.replace(' ', "\u{a0}")).join(" | "))
}

const HEADINGS: &str = "| rung | compute | exchange | both | predicted | × one GPU | efficiency | bytes per rank |\n\
    |---|--:|--:|--:|--:|--:|--:|--:|\n";

/// Returns a table of the rungs of a problem at a size.
pub fn table(runs: &Runs, problem: &str, size: usize, ranks: usize) -> String {
    let runs: Vec<&Run> = runs.select(problem, ranks).filter(|run| run.size == size).collect();
    let Some(first) = runs.first() else { return not_recorded() };
    let source = format!("\n<p class=\"source\">{}; medians of the slowest rank's times.</p>\n", first.source());
    HEADINGS.to_owned() + &runs.iter().map(|run| table_line(run)).collect::<String>() + &source
}

fn table_line(run: &Run) -> String {
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

/// Returns the text in place of a table or a figure without a record.
fn not_recorded() -> String {
    format!("<p class=\"source\">{NOT_RECORDED}</p>\n")
}

/// Parses a size or a number of ranks.
///
/// # Errors
/// Returns an error if the text is not a whole number.
pub fn parse_number(text: &str) -> Result<usize> {
    text.parse().with_context(|| format!("{text} is not a number"))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use serde_json::json;

    /// A run whose exchange takes a tenth of its total.
    pub fn run(rung: &str, size: usize, ranks: usize, speedup: f64) -> Run {
        let total = 10.0;
        serde_json::from_value(json!({
            "problem": "A", "rung": rung, "size": size, "ranks": ranks, "device": "a GPU", "driver": "1", "verified": true,
            "date": "2026-11-22T13:06:33Z", "counts": {"bytes_received": 1024.0}, "predicted_ms": null,
            "times_ms": {"alone": speedup * total, "compute": 9.0, "exchange": 1.0, "total": total, "range": [total, total],
                "runs": 3},
            "link": {"latency": 0.01, "bandwidth": 2e8},
            "timelines": [[{"what": "all bodies", "stream": "compute", "begin": 1.0, "end": 10.0},
                {"what": "all_gather", "stream": "transfers", "begin": 0.0, "end": 1.0}]],
        }))
        .unwrap()
    }

    #[test]
    fn a_number_is_of_its_rung_size_and_ranks() {
        let runs = Runs(vec![run("ring", 64, 2, 1.5), run("ring", 64, 4, 3.0)]);
        assert_eq!(runs.number(["ring", "64", "4", "speedup"]).unwrap(), "3.00");
        assert_eq!(runs.number(["ring", "64", "2", "bandwidth"]).unwrap(), "200 GB/s");
        assert_eq!(runs.number(["ring", "65", "2", "total"]).unwrap(), NOT_RECORDED);
        assert!(runs.number(["ring", "64", "2", "color"]).is_err());
    }

    #[test]
    fn a_line_has_the_rung_and_what_it_gains() {
        let runs = Runs(vec![run("all_gather", 64, 2, 1.5), run("ring", 64, 4, 3.0)]);
        let text = table(&runs, "A", 64, 2);
        assert!(text.contains("`all_gather`") && text.contains("| 1.50 | 75\u{a0}% |"), "{text}");
        assert!(!text.contains("`ring`") && text.contains("2 × a GPU, driver 1, 2026-11-22"), "{text}");
        assert!(table(&runs, "C", 64, 2).contains(NOT_RECORDED));
    }
}
