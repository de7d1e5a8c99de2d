//! The records that a run is compared with.

use crate::format::thousands;
use crate::problem::{Parameters, Size};
use crate::report::data::language::Language;
use crate::stage::Plan;
use crate::timing::Timing;
use emulator::Counters;
use serde::Deserialize;

/// The fields of a [`Record`](super::super::Record) that a comparison needs; records of earlier versions have them too.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Recorded {
    pub kernel: String,
    #[serde(alias = "in_rust", default, deserialize_with = "Language::from_any_record")]
    pub language: Language,
    pub size: usize,
    pub steps: Option<u32>,
    #[serde(alias = "slice", default)]
    pub parameters: Option<Parameters>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub device: String,
    pub date: String,
    pub time_ms: Option<Timing>,
    pub counters: Option<Counters>,
    /// The version of the kernel.
    #[serde(default)]
    pub kernel_sha256: Option<String>,
}

impl Recorded {
    pub fn describe_size(&self, plan: &Plan) -> String {
        let parameters = self.parameters.clone().unwrap_or_default();
        plan.facts().describe_size(&Size { n: self.size, steps: self.steps, seed: plan.size.seed, parameters })
    }

    pub fn shape(&self) -> String {
        let blocks = self.grid.iter().product::<u32>();
        let threads = self.block.iter().product::<u32>();
        format!("{} x {threads}", thousands(blocks.into()))
    }
}

/// Parses an array of records, or one record per line.
pub fn parse(text: &str) -> Result<Vec<Recorded>, String> {
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).map_err(|error| format!("not an array of records: {error}"));
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let record = |(index, line)| {
        serde_json::from_str(line).map_err(|error| format!("line {} is not a record: {error}", index + 1))
    };
    lines.map(record).collect()
}
