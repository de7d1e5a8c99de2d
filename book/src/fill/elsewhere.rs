//! `{{elsewhere}}`: NVIDIA's N-body sample on GPUs that were never measured for this course, from `book/elsewhere.json`.

use super::notation::three_digits;
use super::records;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A published rate of the sample in single precision. Its operations are 20 for each interaction.
pub struct Published {
    /// The GPU, as `--on` takes it.
    pub gpu: &'static str,
    /// Billions of operations per second, of single runs at unlocked clocks that are printed in public READMEs.
    pub gflops: &'static [f64],
}

/// The published rates.
pub const PUBLISHED: [Published; 4] = [
    Published { gpu: "a100", gflops: &[13_936.0] },
    Published { gpu: "rtx4090", gflops: &[44_453.0] },
    Published { gpu: "rtx3080", gflops: &[17_016.0, 17_910.0] },
    Published { gpu: "t4", gflops: &[3_878.0] },
];

/// The operations of an interaction, as the sample counts them.
const OPERATIONS: f64 = 20.0;

/// The estimate of the same algorithm on one GPU.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The GPU, as `--on` takes it.
    pub gpu: String,
    /// The number of interactions.
    pub interactions: u64,
    /// The estimated cycles of all of them.
    pub cycles: u64,
}

/// Returns the file of the estimates.
pub fn file(book: &Path) -> PathBuf {
    book.join("elsewhere.json")
}

/// Returns interactions per cycle of a multiprocessor, as published, at the boost clock, and as estimated.
pub fn table(book: &Path) -> Result<String> {
    let rows: Vec<Elsewhere> = records::read(&file(book))?;
    let mut text = "| GPU | published, at the boost clock | estimated | error |\n|---|--:|--:|--:|\n".to_owned();
    for row in rows {
        let gpu = predict::Gpu::of_id(&row.gpu).with_context(|| format!("no GPU {}", row.gpu))?;
        let published = PUBLISHED.iter().find(|published| published.gpu == row.gpu).context("a rate")?;
        let multiprocessors = gpu.multiprocessors as f64;
        let clock = multiprocessors * gpu.megahertz as f64 / 1000.0;
        let rates: Vec<f64> = published.gflops.iter().map(|gflops| gflops / OPERATIONS / clock).collect();
        let estimated = row.interactions as f64 / row.cycles as f64 / multiprocessors;
        let shown: Vec<String> = rates.iter().map(|rate| three_digits(*rate)).collect();
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        // In time, as all errors of this page.
        let error = mean / estimated - 1.0;
        text += &format!(
            "| {} | {} | {} | {:+.0} % |\n",
            gpu.name,
            shown.join("; "),
            three_digits(estimated),
            error * 100.0
        );
    }
    Ok(text)
}
