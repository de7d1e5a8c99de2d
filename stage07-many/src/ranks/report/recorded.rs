//! Recorded times of the strategies, which the table shows on the emulator: `stage07.json` in the folder of a GPU in `results`.

use super::record::version;
use crate::ranks::measure::Times;
use crate::ranks::strategy::Strategy;
use common::options::Gpu;
use common::recorded::results;
use common::report::Language;
use loading::workspace_root;
use serde::Deserialize;

/// The fields used of a [`Record`](super::Record).
#[derive(Clone, Debug, Deserialize)]
pub struct Recorded {
    /// The name of the strategy. Records made before 2026-11-23 call it `rung`.
    #[serde(alias = "rung")]
    pub kernel: String,
    /// The language of the kernels.
    #[serde(alias = "in_rust", default, deserialize_with = "Language::from_any_record")]
    pub language: Language,
    /// The version of the kernels.
    pub kernel_sha256: Option<String>,
    /// The number of bodies, integers or atoms.
    pub size: usize,
    /// The number of GPUs.
    pub ranks: usize,
    /// The name of the GPUs.
    pub device: String,
    /// The times.
    pub times_ms: Option<Times>,
}

/// Reads the records of a GPU; none if there is no file that can be read.
#[must_use]
pub fn read(gpu: &Gpu) -> Vec<Recorded> {
    let file = workspace_root().join("results").join(results::of_gpu(gpu)).join("stage07.json");
    std::fs::read_to_string(file).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Returns the run of this version of a strategy on most GPUs, at its default size on GPUs.
///
/// # Errors
/// The reason why there is none, in a few words.
pub fn find(records: &[Recorded], strategy: &dyn Strategy, in_rust: bool) -> Result<Recorded, &'static str> {
    let own = version(&strategy.sources(), in_rust).ok_or("the kernel was edited")?;
    let launch = (strategy.name(), Language::rust_if(in_rust), strategy.facts().default_n);
    let is_of = |record: &&Recorded| (record.kernel.as_str(), record.language, record.size) == launch;
    let timed = records.iter().filter(|record| is_of(record) && record.times_ms.is_some());
    let found = timed.max_by_key(|record| record.ranks).ok_or("not recorded on this GPU")?;
    if found.kernel_sha256 == Some(own) { Ok(found.clone()) } else { Err("an older version is recorded") }
}

#[cfg(test)]
mod tests;
