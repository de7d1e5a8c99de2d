//! `{{estimates GROUP}}` and `{{estimated GROUP WHAT}}`: estimated times beside recorded ones, from `book/estimates.json`.

use super::errors::{APART, Estimated, Judged, MACHINE_CODE, mean_percent, median, order, sorted, split_way};
use crate::fill::Sources;
use crate::fill::notation::escape;
use crate::fill::records;
use anyhow::{Result, bail};
use common::format::{milliseconds, percent, significant};
use predict::{Limiter, RunEstimate, Way};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Kernels whose estimates are judged together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// The kernels of stages 1 to 6 in CUDA C++, which were in view when the model was made.
    Cuda,
    /// Their versions in Rust, which were not.
    Rust,
    /// The kernels of stages 8 and 9, which are newer than the model.
    Matmul,
}

/// A recorded kernel and its estimate.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The group.
    pub group: Group,
    /// The letter of the problem.
    pub problem: String,
    /// The published name.
    pub kernel: String,
    /// The median of the recorded times, in nanoseconds.
    pub measured_ns: u64,
    /// The estimate, or the reason why there is none.
    pub estimate: Result<Estimated, String>,
    /// The limiter by Nsight Compute's profile, if there is one.
    pub profiled: Option<Limiter>,
    /// The shares of the reasons to wait in percent, as estimated and as profiled: dependency, memory, barrier, issue, constant.
    pub waits: Option<[[u64; 5]; 2]>,
    /// The resources of a launch, as recorded and as estimated.
    pub taken: (Taken, Taken),
}

/// What a launch takes of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    /// The registers per thread.
    pub registers: u32,
    /// The resident threads, divided by the most that a multiprocessor can hold.
    pub occupancy: f64,
}

/// Returns the shares of the reasons to wait in percent: dependency, memory, barrier, issue, constant. They are of the kernel of
/// the run that takes the longest.
pub fn waits(estimate: &RunEstimate) -> Option<[u64; 5]> {
    let stalls = estimate.launches.iter().max_by_key(|launch| launch.cycles)?.stalls;
    let waits = [stalls.dependency, stalls.memory, stalls.barrier, stalls.issue, stalls.constant];
    let all = waits.iter().sum::<u64>().max(1);
    Some(waits.map(|cycles| (100 * cycles + all / 2) / all))
}

impl Judged for Row {
    fn measured_ns(&self) -> u64 {
        self.measured_ns
    }

    fn estimated(&self) -> Option<&Estimated> {
        self.estimate.as_ref().ok()
    }

    fn is_like(&self, other: &Self) -> bool {
        self.problem == other.problem
    }
}

impl Row {
    /// Returns the estimated registers relative to those that ptxas allocated, less one, without the sign.
    fn registers_error(&self) -> f64 {
        let (recorded, estimated) = self.taken;
        (f64::from(estimated.registers) / f64::from(recorded.registers) - 1.0).abs()
    }

    /// Returns whether the limiter is that of the profile; `None` without a profile, and for block starts, which a profile
    /// does not show.
    fn is_limiter_right(&self) -> Option<bool> {
        let limiter = self.estimate.as_ref().ok()?.limiter;
        Some(self.profiled? == limiter).filter(|_| limiter != Limiter::BlockStarts)
    }

    fn line(&self) -> Option<String> {
        let estimate = self.estimate.as_ref().ok()?;
        let error = self.error()?;
        let time = |nanoseconds: u64| milliseconds(nanoseconds as f64 / 1e6);
        let outside = if self.is_in_band() { "" } else { ", outside" };
        let profiled = self.profiled.map_or(String::new(), |limiter| format!(" {} |", limiter.name()));
        Some(format!(
            "| {} | `{}` | {} | {} | {:+.0} %{outside} | {} |{profiled}\n",
            self.problem,
            self.kernel,
            time(self.measured_ns),
            time(estimate.ns),
            error * 100.0,
            estimate.limiter.name(),
        ))
    }
}

/// Returns the file of the rows of a way.
pub fn file(book: &Path, way: Way) -> PathBuf {
    book.join(match way {
        Way::Ptx => "estimates.json",
        Way::MachineCode => "estimates-machine-code.json",
    })
}

impl Sources {
    /// Reads the rows of a group, from the PTX, or from machine code if its name ends so.
    pub(crate) fn estimates(&self, name: &str) -> Result<Vec<Row>> {
        let (group, way) = split_way(name);
        let Ok(group) = serde_json::from_value::<Group>(group.into()) else {
            bail!(
                "there is no group {group}; the groups are cuda, rust and matmul, with {MACHINE_CODE} behind them or without"
            )
        };
        let rows: Vec<Row> = records::read(&file(&self.book, way))?;
        Ok(rows.into_iter().filter(|row| row.group == group).collect())
    }

    /// Returns one number of the pairs of a kernel in CUDA C++ and in Rust, if the recorded time of the former is known: the pairs
    /// (`pairs`), the mean error of the guess that the latter takes as long (`unchanged`), and of that time multiplied by the
    /// ratio of both estimates (`ratio`).
    pub(crate) fn estimated_twins(&self, way: &str, what: &str) -> Result<String> {
        let end = match way {
            "ptx" => "",
            "machine-code" => MACHINE_CODE,
            _ => bail!("there is no way {way}; the ways are ptx and machine-code"),
        };
        let cuda = self.estimates(&format!("cuda{end}"))?;
        let rust = self.estimates(&format!("rust{end}"))?;
        twins(&cuda, &rust, what)
    }
}

fn twins(cuda: &[Row], rust: &[Row], what: &str) -> Result<String> {
    let guesses = |rust: &Row| cuda.iter().find(|row| row.kernel == rust.kernel)?.guesses(rust);
    let pairs: Vec<[f64; 2]> = rust.iter().filter_map(guesses).collect();
    if pairs.is_empty() {
        bail!("no kernel in Rust has an estimate beside that of its version in CUDA C++");
    }
    let mean_of = |guess: usize| mean_percent(&pairs.iter().map(|errors| errors[guess]).collect::<Vec<_>>());
    Ok(match what {
        "pairs" => pairs.len().to_string(),
        "unchanged" => mean_of(0),
        "ratio" => mean_of(1),
        _ => bail!("no number {what}; there are pairs, unchanged, ratio"),
    })
}

/// Returns the table of the kernels with an estimate, and below it the reasons of the others. Only groups with profiles have
/// a column for them.
pub fn table(rows: &[Row]) -> String {
    let has_profiles = rows.iter().any(|row| row.profiled.is_some());
    let [heading, line] = if has_profiles { [" limited by, profile |", "---|"] } else { [""; 2] };
    let mut text = format!(
        "| | kernel | measured | estimate | error | limited by, estimate |{heading}\n|---|---|--:|--:|--:|---|{line}\n"
    );
    text.extend(rows.iter().filter_map(Row::line));
    let refused = rows.iter().filter_map(|row| Some((row, row.estimate.as_ref().err()?)));
    let items: String =
        refused.map(|(row, reason)| format!("- `{}` has no estimate: {}\n", row.kernel, escape(reason))).collect();
    if items.is_empty() { text } else { format!("{text}\n{items}") }
}

/// Returns what warps wait for, as estimated and as Nsight Compute counts it, as a table: the shares in percent.
pub fn waits_table(rows: &[Row]) -> String {
    let mut text =
        String::from("| kernel | dependency | memory | barrier | issue | constant |\n|---|--:|--:|--:|--:|--:|\n");
    for row in rows {
        let Some([estimated, profiled]) = row.waits else { continue };
        let cells: String = estimated.iter().zip(profiled).map(|(one, other)| format!(" {one} / {other} |")).collect();
        text += &format!("| `{}` |{cells}\n", row.kernel);
    }
    text
}

/// The numbers of a group.
const NUMBERS: &str = "kernels, followed, mean, median, worst, band, order, limiter, apart, registers-mean, registers-median, registers-worst, occupancy";

/// Returns one number of a group.
///
/// # Errors
/// Returns an error if no row has an estimate, or one that lists the numbers if there is no such number.
pub fn number(rows: &[Row], what: &str) -> Result<String> {
    let errors = sorted(rows.iter().filter_map(Row::error).map(f64::abs));
    if errors.is_empty() {
        bail!("no kernel of this group has an estimate");
    }
    let registers = sorted(rows.iter().map(Row::registers_error));
    let share = |(some, all): (usize, usize)| format!("{some} of {all}");
    Ok(match what {
        "kernels" => share((errors.len(), rows.len())),
        "followed" => {
            let is_followed = |row: &&Row| row.estimate.as_ref().is_ok_and(|estimate| estimate.is_followed);
            share((rows.iter().filter(is_followed).count(), errors.len()))
        }
        "mean" => mean_percent(&errors),
        "median" => percent(median(&errors)),
        "worst" => percent(errors[errors.len() - 1]),
        "registers-mean" => mean_percent(&registers),
        "registers-median" => percent(median(&registers)),
        "registers-worst" => percent(registers[registers.len() - 1]),
        "occupancy" => {
            share((rows.iter().filter(|row| row.taken.0.occupancy == row.taken.1.occupancy).count(), rows.len()))
        }
        "band" => share((rows.iter().filter(|row| row.is_in_band()).count(), errors.len())),
        "order" => share(order(rows)),
        "limiter" => {
            let judged = || rows.iter().filter_map(Row::is_limiter_right);
            share((judged().filter(|is_right| *is_right).count(), judged().count()))
        }
        "apart" => significant(APART),
        _ => bail!("no number {what}; there are {NUMBERS}"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::errors::mean;
    use super::*;

    fn row(kernel: &str, measured_ns: u64, ns: u64) -> Row {
        let estimate =
            Estimated { ns, band_ns: (ns * 85 / 100, ns * 3 / 2), limiter: Limiter::Issue, is_followed: false };
        Row {
            group: Group::Cuda,
            problem: "A".into(),
            kernel: kernel.into(),
            measured_ns,
            estimate: Ok(estimate),
            profiled: Some(Limiter::Memory),
            waits: Some([[50, 20, 10, 20, 0], [40, 30, 10, 20, 0]]),
            taken: (Taken { registers: 40, occupancy: 0.75 }, Taken { registers: 50, occupancy: 0.5 }),
        }
    }

    #[test]
    fn errors_bands_and_order_are_those_that_a_hand_computes() {
        let refused = Row { estimate: Err("a reason".into()), ..row("c", 1000, 1000) };
        let rows = [row("a", 1000, 1100), row("b", 2000, 1000), refused];
        assert_eq!(number(&rows, "kernels").unwrap(), "2 of 3");
        assert_eq!(number(&rows, "worst").unwrap(), percent(0.5));
        assert_eq!(number(&rows, "mean").unwrap(), percent(0.3));
        assert_eq!(number(&rows, "median").unwrap(), percent(0.3));
        // 2000 is above 1500; a is faster than b, and was estimated to be slower
        assert_eq!(
            (number(&rows, "band").unwrap(), number(&rows, "order").unwrap()),
            ("1 of 2".into(), "0 of 1".into())
        );
        assert_eq!(number(&rows, "limiter").unwrap(), "0 of 2");
        assert_eq!(number(&rows, "registers-mean").unwrap(), percent(0.25));
        assert_eq!(number(&rows, "occupancy").unwrap(), "0 of 3");
        let table = table(&rows);
        assert!(table.contains("| -50 %, outside |") && table.contains("- `c` has no estimate: a reason"), "{table}");
    }

    #[test]
    fn a_pair_is_guessed_with_and_without_the_ratio_of_its_estimates() {
        let cuda = [row("a", 1000, 500), row("b", 1000, 500)];
        let rust = [row("a", 2000, 800)];
        let number = |what| twins(&cuda, &rust, what).unwrap();
        // 1000 instead of 2000; and 1600
        assert_eq!((number("pairs"), number("unchanged"), number("ratio")), ("1".into(), percent(0.5), percent(0.2)));
    }

    /// The book states the numbers of each group. A slow test compares the file with the model.
    #[test]
    fn registers_are_near_those_of_ptxas() {
        let rows: Vec<Row> = records::read(&file(Path::new(env!("CARGO_MANIFEST_DIR")), Way::Ptx)).unwrap();
        let errors = sorted(rows.iter().map(Row::registers_error));
        assert!(mean(&errors) < 0.15 && median(&errors) < 0.1, "{} {}", mean(&errors), median(&errors));
        assert!(errors[errors.len() - 1] < 1.25, "{errors:?}");
        let right = rows.iter().filter(|row| row.taken.0.occupancy == row.taken.1.occupancy).count();
        assert!(right * 5 > rows.len() * 4, "{right} of {}", rows.len());
    }
}
