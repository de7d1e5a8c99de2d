//! Records: the result of a kernel as JSON.

pub mod counts;

use crate::ceilings::Shares;
use crate::checked::Checked;
use crate::device::Backend;
use crate::format::now;
use crate::kernel;
use crate::outcome::{Outcome, Time};
use crate::problem::{CpuTimes, Parameters};
use crate::recorded::{Language, SampledBlocks};
use crate::report::data::steps::{Below, compare};
use crate::session::Session;
use crate::stage::{Plan, Stage};
use crate::timing::Timing;
use crate::verify::Report;
use emulator::{Counters, Diagnosis};
use predict::RunEstimate;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A rate with its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// The number of `unit`.
    pub value: f64,
    /// The problem's unit, such as `GFLOP/s`.
    pub unit: String,
}

/// The result of one kernel at one size on one device. Fields without a value are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The crate of the stage.
    pub stage: String,
    /// The letter of the problem. Records made before 2026-11-22 call it `tutorial`.
    #[serde(alias = "tutorial")]
    pub problem: String,
    /// The published name of the kernel.
    pub kernel: String,
    /// Language of the kernel. Records made before 2026-11-23 have `in_rust` or nothing instead.
    #[serde(alias = "in_rust", default, deserialize_with = "Language::from_any_record")]
    pub language: Language,
    /// The number of bodies or elements.
    pub size: usize,
    /// The time steps of a run.
    pub steps: Option<u32>,
    /// The problem's own options; null if it has none. Records made before 2026-11-22 call them `slice`.
    #[serde(alias = "slice")]
    pub parameters: Option<Parameters>,
    /// The seed of the inputs.
    pub seed: u64,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads per block along x, y, z.
    pub block: [u32; 3],
    /// The device's name, as the driver reports it.
    pub device: String,
    /// The kind of device.
    pub backend: Backend,
    /// Compute capability, such as `9.0`.
    pub compute_capability: String,
    /// `580.65.06 (CUDA 13.0)`, or `emulator`.
    pub driver: String,
    /// `prebuilt PTX`, `NVRTC 12.9`, `NVRTC 13.5, cubin` or `clang 22.1.8`.
    pub code: String,
    /// The version of the kernel ([`Rung::version`](crate::stage::Rung::version)); null if it was compiled on the machine.
    pub kernel_sha256: Option<String>,
    /// UTC time of the run.
    pub date: String,
    /// Whether all results were correct.
    pub verified: bool,
    /// Largest error, divided by the sum of the magnitudes of a result's terms; null if infinite.
    pub max_rel_error: Option<f64>,
    /// Largest error, divided by its tolerance.
    pub share_of_tolerance: Option<f64>,
    /// Kernel time of a run in milliseconds; null on the emulator.
    pub time_ms: Option<Timing>,
    /// The time that the table shows, with its source; null without one, and in records made before 2026-11-27.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// Useful work per second.
    pub rate: Option<Rate>,
    /// Pair interactions per second.
    pub interactions_per_second: Option<f64>,
    /// Rate, divided by the device's peak.
    pub limit_share: Option<f64>,
    /// The share of each unit's measured rate, and the busiest unit; null if rates or counts are not recorded.
    #[serde(default)]
    pub units: Option<Shares>,
    /// The limiter of the run, as the table shows it; null without a time, and in records made before 2026-11-23.
    #[serde(default)]
    pub limited_by: Option<String>,
    /// Registers per thread.
    pub registers: Option<u32>,
    /// Static and dynamic shared memory per block, in bytes.
    pub shared_bytes: Option<u32>,
    /// Resident threads, divided by the most that a multiprocessor can hold.
    pub occupancy: Option<f64>,
    /// Launches like the counted one in a run; null in records made before 2026-11-27.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launches: Option<u32>,
    /// This run's counts of one launch, the last of a step; null on a GPU without `--counters`.
    pub counters: Option<Counters>,
    /// Machine instructions of all warps in a step, as a profiler counted them; null if that is not recorded for this code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_instructions: Option<f64>,
    /// The blocks whose counts stand for those of all; null if all were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<SampledBlocks>,
    /// The size at which all blocks ran and were counted instead, because they depend on each other; null if that is `size`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_size: Option<usize>,
    /// The estimated time on a GPU; null if there is none, on a GPU, and in `results`, which has only what was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<RunEstimate>,
    /// Bytes that a launch must move: each input once, each output once.
    pub bytes_needed: f64,
    /// Times of the tutorial's loop on the CPU of the machine; null on the emulator.
    pub cpu: Option<CpuTimes>,
    /// The comparison with the rung below; null if that was not run.
    pub below: Option<Below>,
    /// Other measurements: `momentum_error`, the sum of all forces divided by the sum of their magnitudes, and those of
    /// written files, such as `energy_drift`, the change of a filmed galaxy's energy over all steps, divided by its initial
    /// energy.
    #[serde(flatten, deserialize_with = "numbers")]
    pub measured: BTreeMap<String, f64>,
}

impl Record {
    /// Returns the record of an outcome, dated now. The rung below is searched among the `earlier` outcomes.
    #[must_use]
    pub fn new(stage: &Stage, session: &Session, outcome: &Outcome, earlier: &[Outcome]) -> Self {
        let plan = &outcome.run.plan;
        let device = &session.device;
        let finite = |value: f64| value.is_finite().then_some(value);
        let grid = plan.config().grid_dim;
        let block = plan.config().block_dim;
        let measured = Some(outcome).filter(|outcome| outcome.run.timing.is_some());
        Self {
            stage: stage.name.into(),
            problem: plan.facts().letter.into(),
            kernel: plan.rung.kernel.into(),
            language: Language::from_plan(plan),
            size: plan.size.n,
            steps: plan.size.steps,
            parameters: Some(plan.size.parameters.clone()).filter(|parameters| !parameters.is_empty()),
            seed: plan.size.seed,
            grid: grid.into(),
            block: block.into(),
            device: device.name.clone(),
            backend: device.backend,
            compute_capability: format!("{}.{}", device.compute_capability.0, device.compute_capability.1),
            driver: device.driver.clone(),
            code: outcome.run.code.clone(),
            kernel_sha256: (outcome.run.code == kernel::PREBUILT).then(|| plan.rung.version(plan.in_rust)),
            date: now(),
            verified: outcome.run.report.passed(),
            max_rel_error: finite(outcome.run.report.max_relative_error),
            share_of_tolerance: finite(outcome.run.report.worst_share_of_tolerance),
            time_ms: outcome.run.timing,
            time: outcome.time(),
            rate: measured.and_then(rate),
            interactions_per_second: measured.and_then(|outcome| outcome.per_second(outcome.run.cost.interactions)),
            limit_share: measured.and_then(|outcome| outcome.limit_share(&device.attributes)),
            units: measured.and_then(|outcome| outcome.shares.clone()),
            limited_by: measured.and_then(|outcome| outcome.limited_by(&device.attributes, false)),
            registers: outcome.run.resources.registers,
            shared_bytes: outcome.run.resources.shared_bytes,
            occupancy: outcome.run.resources.occupancy,
            launches: Some((plan.facts().launches)(&plan.size)),
            counters: outcome.run.counters,
            machine_instructions: outcome.instructions(),
            sampled: outcome.run.sample.as_ref().map(|sample| SampledBlocks {
                blocks: sample.blocks.len(),
                of: sample.of,
                is_uniform: sample.is_uniform,
            }),
            counted_size: outcome.run.smaller.filter(|smaller| smaller.is_counted).map(|smaller| smaller.n),
            estimate: outcome.estimate.clone().and_then(Result::ok),
            bytes_needed: outcome.run.cost.bytes_needed_by_a_launch,
            cpu: outcome.cpu.clone(),
            below: compare(outcome, earlier),
            measured: measurements(outcome),
        }
    }
}

/// The result of `--check` for one kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// The crate of the stage.
    pub stage: String,
    /// The published name of the kernel.
    pub kernel: String,
    /// Language of the kernel.
    #[serde(alias = "in_rust", default, deserialize_with = "Language::from_any_record")]
    pub language: Language,
    /// The number of bodies or elements.
    pub size: usize,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads per block along x, y, z.
    pub block: [u32; 3],
    /// Whether all results were correct; null after a fault, which leaves none.
    pub verified: Option<bool>,
    /// The mistakes found.
    pub findings: Vec<Diagnosis>,
}

impl CheckRecord {
    /// Returns the record of a checked kernel.
    #[must_use]
    pub fn new(stage: &Stage, plan: &Plan, checked: &Checked) -> Self {
        let config = plan.config();
        Self {
            stage: stage.name.into(),
            kernel: plan.rung.kernel.into(),
            language: Language::from_plan(plan),
            size: plan.size.n,
            grid: config.grid_dim.into(),
            block: config.block_dim.into(),
            verified: checked.report.as_ref().map(Report::passed),
            findings: checked.findings.clone(),
        }
    }
}

/// Returns the measurements of the results and of the written files.
fn measurements(outcome: &Outcome) -> BTreeMap<String, f64> {
    let of_files = outcome.written.iter().flat_map(|written| &written.measured);
    let all = outcome.run.report.measured.iter().map(|(&name, &value)| (name, value)).chain(of_files.copied());
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Reads the remaining fields of a record that are numbers.
fn numbers<'de, D: Deserializer<'de>>(fields: D) -> Result<BTreeMap<String, f64>, D::Error> {
    let fields = BTreeMap::<String, Value>::deserialize(fields)?;
    Ok(fields.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect())
}

/// Returns the useful work per second; `None` without a time.
fn rate(outcome: &Outcome) -> Option<Rate> {
    let value = outcome.per_second(Some(outcome.run.cost.amount))? / 1e9;
    Some(Rate { value, unit: outcome.run.plan.facts().rate.unit.into() })
}
