//! Recorded runs: the folder `results`, and the fields of its records that other runs need.

mod language;
pub mod results;

pub use language::Language;

use crate::device::Backend;
use crate::format::thousands;
use crate::problem::{Parameters, Size};
use crate::stage::{Plan, Stage};
use crate::timing::Timing;
use emulator::Counters;
use predict::Gpu;
use serde::{Deserialize, Serialize};

/// A sample of a launch's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledBlocks {
    /// The number of blocks that ran.
    pub blocks: usize,
    /// The number of blocks of the launch.
    pub of: u64,
    /// Whether they have the same counts, so that those of the launch are exact.
    pub is_uniform: bool,
}

/// The fields of a [`Record`](crate::report::Record) that other runs need; records of earlier versions have them too.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Recorded {
    /// The published name of the kernel.
    pub kernel: String,
    /// Its language.
    #[serde(alias = "in_rust", default, deserialize_with = "Language::from_any_record")]
    pub language: Language,
    /// The number of bodies or elements.
    pub size: usize,
    /// The time steps of a run.
    pub steps: Option<u32>,
    /// The problem's own options.
    #[serde(alias = "slice", default)]
    pub parameters: Option<Parameters>,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads per block along x, y, z.
    pub block: [u32; 3],
    /// The device's name.
    pub device: String,
    /// The time of the run in UTC.
    pub date: String,
    /// The times.
    pub time_ms: Option<Timing>,
    /// The emulator's counts.
    pub counters: Option<Counters>,
    /// The blocks whose counts stand for those of all; `None` if all were counted.
    #[serde(default)]
    pub sampled: Option<SampledBlocks>,
    /// Registers per thread.
    #[serde(default)]
    pub registers: Option<u32>,
    /// Resident warps of a multiprocessor, of those that it can hold.
    #[serde(default)]
    pub occupancy: Option<f64>,
    /// The version of the kernel.
    #[serde(default)]
    pub kernel_sha256: Option<String>,
}

impl Recorded {
    /// Returns its size in words, as [`Plan::describe_size`] does.
    #[must_use]
    pub fn describe_size(&self, plan: &Plan) -> String {
        let parameters = self.parameters.clone().unwrap_or_default();
        plan.facts().describe_size(&Size { n: self.size, steps: self.steps, seed: plan.size.seed, parameters })
    }

    /// Returns whether it is a run of a plan: of the same kernel and version, size and launch. Without a time, one step stands for any
    /// number, because every step has the same counts.
    #[must_use]
    pub fn is_of(&self, plan: &Plan) -> bool {
        let config = plan.config();
        let size = &plan.size;
        self.kernel == plan.rung.kernel
            && self.language == Language::from_plan(plan)
            && self.size == size.n
            && (self.steps == size.steps || (self.time_ms.is_none() && self.steps == size.steps.map(|_| 1)))
            && self.parameters.clone().unwrap_or_default() == size.parameters
            && (self.grid, self.block) == (config.grid_dim.into(), config.block_dim.into())
            && self.kernel_sha256.as_deref() == Some(&plan.rung.version(plan.in_rust))
    }

    /// Returns `128 x 256`: blocks and threads of each.
    #[must_use]
    pub fn shape(&self) -> String {
        let blocks = self.grid.iter().product::<u32>();
        let threads = self.block.iter().product::<u32>();
        format!("{} x {threads}", thousands(blocks.into()))
    }
}

/// The folder of the emulator's counts in `results`.
pub const EMULATOR: &str = "emulator";

/// Returns the recorded runs of a stage that have what a device does not measure: on a GPU the counts, on the emulator the times of this
/// GPU.
#[must_use]
pub fn of_the_other(stage: &Stage, backend: Backend, gpu: Option<&Gpu>) -> Vec<Recorded> {
    let device = if backend == Backend::Cuda { Some(EMULATOR.into()) } else { gpu.map(results::of_gpu) };
    device.map_or_else(Vec::new, |device| of_device(stage, &device))
}

/// Returns the recorded runs of a stage on a device, by its folder in `results`; none if there is no record that can be read.
#[must_use]
pub fn of_device(stage: &Stage, device: &str) -> Vec<Recorded> {
    let Some(results) = results::folder(stage) else { return Vec::new() };
    let folder = results.join(device);
    let read = |kind: &str| {
        let file = folder.join(format!("{}{kind}.json", results::short_name(stage)));
        std::fs::read_to_string(file).ok().and_then(|text| parse(&text).ok()).unwrap_or_default()
    };
    // tables, other launch shapes, other sizes
    ["", "-sweep", "-sizes"].map(read).concat()
}

/// The file of a GPU in [`results::COMMUNITY`], of which the records are read.
#[derive(Deserialize)]
struct OfGpu {
    records: Vec<Recorded>,
}

/// Parses an array of records, the file of a GPU, or one record per line.
///
/// # Errors
/// The reason, with the line.
pub fn parse(text: &str) -> Result<Vec<Recorded>, String> {
    if text.trim_start().trim_start_matches('{').trim_start().starts_with("\"schema\"") {
        let file: Result<OfGpu, _> = serde_json::from_str(text);
        return file.map(|file| file.records).map_err(|error| format!("not the record of a GPU: {error}"));
    }
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).map_err(|error| format!("not an array of records: {error}"));
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let record = |(index, line)| {
        serde_json::from_str(line).map_err(|error| format!("line {} is not a record: {error}", index + 1))
    };
    lines.map(record).collect()
}
