//! The records that a run is compared with.

use super::super::language::Language;
use crate::format::thousands;
use crate::problem::{Parameters, Size};
use crate::stage::Plan;
use crate::timing::Timing;
use emulator::Counters;
use serde::Deserialize;

/// The fields of a [`Record`](super::super::Record) that a comparison needs; records of earlier versions have them too.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Recorded {
    pub(super) kernel: String,
    #[serde(alias = "in_rust", default, deserialize_with = "Language::of_any_record")]
    pub(super) language: Language,
    pub(super) size: usize,
    pub(super) steps: Option<u32>,
    #[serde(alias = "slice", default)]
    pub(super) parameters: Option<Parameters>,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) device: String,
    pub(super) date: String,
    pub(super) time_ms: Option<Timing>,
    pub(super) counters: Option<Counters>,
    /// The version of the kernel.
    #[serde(default)]
    pub(super) kernel_sha256: Option<String>,
}

impl Recorded {
    pub(super) fn describe_size(&self, plan: &Plan) -> String {
        let parameters = self.parameters.clone().unwrap_or_default();
        plan.facts().describe_size(&Size { n: self.size, steps: self.steps, seed: plan.size.seed, parameters })
    }

    pub(super) fn shape(&self) -> String {
        let (blocks, threads) = (self.grid.iter().product::<u32>(), self.block.iter().product::<u32>());
        format!("{} x {threads}", thousands(blocks.into()))
    }
}

/// Parses an array of records, or one record per line.
pub(super) fn parse(text: &str) -> Result<Vec<Recorded>, String> {
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).map_err(|error| format!("not an array of records: {error}"));
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let record = |(index, line)| {
        serde_json::from_str(line).map_err(|error| format!("line {} is not a record: {error}", index + 1))
    };
    lines.map(record).collect()
}
