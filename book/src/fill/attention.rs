//! `{{heads STAGE KERNELS}}`: recorded rates of attention by positions and heads, beside those of others on the same GPU.

use super::records::{NOT_RECORDED, Records, read_if_there};
use anyhow::Result;
use common::stage::{Rung, Stage};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Operations per second in the unit of a record, in one of the table.
const GIGA_IN_TERA: f64 = 1000.0;

/// The names of the peers of the table begin with the name of their library.
const OF_PEERS: &str = ", attention of bf16";

/// The quotient of the slowest and the fastest run from which on a rate has its range.
const WIDE: f64 = 1.05;

/// The file of times of programs of others.
#[derive(Default, Deserialize)]
struct Peers {
    peers: Vec<Peer>,
}

/// The times of a program of others.
#[derive(Deserialize)]
struct Peer {
    name: String,
    /// Milliseconds by the description of the size.
    medians_ms: BTreeMap<String, f64>,
}

/// Returns a table with a row per size of the first kernel, and a column per kernel and peer.
///
/// # Errors
/// Returns an error if a file cannot be read, or if results of a record were wrong.
pub fn render(stage: &Stage, rungs: &[&Rung], folder: &Path) -> Result<String> {
    let records = Records::others(folder, stage.name, "heads")?;
    let mut rows: Vec<(String, Vec<Option<String>>)> = Vec::new();
    let Peers { mut peers } = read_if_there(&folder.join("peers.json"))?;
    peers.retain(|peer| peer.name.ends_with(OF_PEERS));
    for (column, rung) in rungs.iter().enumerate() {
        for timed in records.all_of(rung.kernel)? {
            let record = timed.record;
            let facts = rung.work.facts();
            let heads = record.parameters.as_ref().map(|parameters| (facts.describe)(parameters)).unwrap_or_default();
            let size = format!("{} positions, {heads}", record.size);
            let rate = record.rate.as_ref().map(|rate| rate.value / GIGA_IN_TERA);
            if column == 0 {
                // As many operations as ours, in another time.
                let of_peer = |peer: &Peer| {
                    let rate = rate? * timed.time.median / peer.medians_ms.get(&size)?;
                    Some(format!("{rate:.0}"))
                };
                rows.push((size.clone(), [vec![None; rungs.len()], peers.iter().map(of_peer).collect()].concat()));
            }
            if let Some((_, cells)) = rows.iter_mut().find(|(of_row, _)| *of_row == size) {
                cells[column] = rate.map(|rate| with_range(rate, timed.range()));
            }
        }
    }
    let names = rungs.iter().map(|rung| format!("`{}`", rung.kernel));
    let names = names.chain(peers.iter().map(|peer| peer.name.replace(OF_PEERS, "")));
    Ok(table(&names.collect::<Vec<_>>(), &rows))
}

/// Returns a rate with the range that follows from the least, the median and the greatest time, if that is wide: `691, 648 to 740`.
fn with_range(rate: f64, [least, median, greatest]: [f64; 3]) -> String {
    let range = [greatest, least].map(|time| rate * median / time);
    if greatest / least < WIDE {
        format!("{rate:.0}")
    } else {
        format!("{rate:.0}, {:.0} to {:.0}", range[0], range[1])
    }
}

fn table(names: &[String], rows: &[(String, Vec<Option<String>>)]) -> String {
    if rows.is_empty() {
        return format!("*Attention by heads: {NOT_RECORDED}*");
    }
    let mut text = format!("| TFLOP/s | {} |\n|---|{}", names.join(" | "), "--:|".repeat(names.len()));
    for (size, cells) in rows {
        let _ = write!(text, "\n| {size} |");
        for cell in cells {
            let _ = write!(text, " {} |", cell.as_deref().unwrap_or("–"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_cells_and_missing_files_are_shown_as_such() {
        let names = ["`a`".to_owned(), "cuDNN".to_owned()];
        let rows = [("4096 positions".to_owned(), vec![Some(with_range(459.4, [1.0, 1.01, 1.02])), None])];
        assert_eq!(table(&names, &rows), "| TFLOP/s | `a` | cuDNN |\n|---|--:|--:|\n| 4096 positions | 459 | – |");
        assert!(table(&names, &[]).contains(NOT_RECORDED));
    }

    #[test]
    fn a_rate_of_runs_that_differ_has_its_range() {
        assert_eq!(with_range(690.6, [2.972, 3.185, 3.395]), "691, 648 to 740");
    }
}
