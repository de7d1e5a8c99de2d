//! One kernel's result as JSON, for records and for other programs.

use super::steps::{Below, compared};
use crate::device::Backend;
use crate::kernel;
use crate::limit::Shares;
use crate::plan::Plan;
use crate::problem::{CpuTimes, Parameters};
use crate::session::{Checked, Outcome, Session};
use crate::stage::Stage;
use crate::timing::Timing;
use crate::verify::Report;
use emulator::{Counters, Diagnosis};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A rate with its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// How many of `unit`.
    pub value: f64,
    /// The problem's, such as `GFLOP/s`, in powers of ten.
    pub unit: String,
}

/// Everything about one kernel at one size on one device. A field that cannot be had is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Crate of the stage.
    pub stage: String,
    /// Letter of the problem. Records made before 2026-11-22 call it `tutorial`.
    #[serde(alias = "tutorial")]
    pub problem: String,
    /// Published name of the kernel.
    pub kernel: String,
    /// Whether it is its twin in Rust.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_rust: bool,
    /// Bodies or elements.
    pub size: usize,
    /// Time steps of a run.
    pub steps: Option<u32>,
    /// The problem's own options; null where it has none. Records made before 2026-11-22 call them `slice`.
    #[serde(alias = "slice")]
    pub parameters: Option<Parameters>,
    /// Seed of the inputs.
    pub seed: u64,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// The device's own name.
    pub device: String,
    /// Who ran the kernel.
    pub backend: Backend,
    /// Compute capability, `9.0`.
    pub compute_capability: String,
    /// `580.65.06 (CUDA 13.0)`, or `emulator`.
    pub driver: String,
    /// `prebuilt PTX`, `NVRTC 12.9` or `NVRTC 13.5, cubin`.
    pub code: String,
    /// Which version of the kernel ran ([`Rung::version`](crate::stage::Rung::version)); null where it was compiled on the
    /// machine.
    pub kernel_sha256: Option<String>,
    /// When, in UTC.
    pub date: String,
    /// Whether all results were right.
    pub verified: bool,
    /// Largest error in relation to the sum of the magnitudes of a result's terms; null if infinite.
    pub max_rel_error: Option<f64>,
    /// The same in relation to the tolerance.
    pub share_of_tolerance: Option<f64>,
    /// Kernel time of a run in milliseconds; null on the emulator.
    pub time_ms: Option<Timing>,
    /// Useful work a second.
    pub rate: Option<Rate>,
    /// Pair interactions per second.
    pub interactions_per_second: Option<f64>,
    /// Rate in relation to the device's limit.
    pub limit_share: Option<f64>,
    /// Share of each unit's measured limit, and the unit that is nearest to it; null where limits or counts are not
    /// recorded.
    #[serde(default)]
    pub units: Option<Shares>,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Static and dynamic shared memory of a block.
    pub shared_bytes: Option<u32>,
    /// Threads that a multiprocessor holds, of those that it could hold.
    pub occupancy: Option<f64>,
    /// The emulator's counts of one launch.
    pub counters: Option<Counters>,
    /// Bytes that this launch must move: each input once, each output once.
    pub bytes_needed: f64,
    /// The tutorial's loop on the CPU of the machine.
    pub cpu: CpuTimes,
    /// The step from the rung below; null where that was not run.
    pub below: Option<Below>,
    /// What else was measured: `momentum_error`, the sum of all forces in relation to the sum of their magnitudes, and what
    /// files beside the table tell, such as `energy_drift`, the change of a filmed galaxy's energy over all steps, in
    /// relation to its first.
    #[serde(flatten, deserialize_with = "numbers")]
    pub measured: BTreeMap<String, f64>,
}

impl Record {
    /// The record of an outcome, dated now. The rung below is looked for among the `earlier` ones.
    #[must_use]
    pub fn new(stage: &Stage, session: &Session, outcome: &Outcome, earlier: &[Outcome]) -> Self {
        let (plan, device) = (&outcome.plan, &session.device);
        let finite = |value: f64| value.is_finite().then_some(value);
        let (grid, block) = (plan.config().grid_dim, plan.config().block_dim);
        Self {
            stage: stage.name.into(),
            problem: plan.facts().letter.into(),
            kernel: plan.rung.kernel.into(),
            in_rust: plan.in_rust,
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
            code: outcome.code.clone(),
            kernel_sha256: (outcome.code == kernel::PREBUILT).then(|| plan.rung.version(plan.in_rust)),
            date: now(),
            verified: outcome.report.passed(),
            max_rel_error: finite(outcome.report.max_relative_error),
            share_of_tolerance: finite(outcome.report.worst_share_of_tolerance),
            time_ms: outcome.timing,
            rate: rate(outcome),
            interactions_per_second: outcome.per_second(outcome.cost.interactions),
            limit_share: outcome.limit_share(device),
            units: outcome.shares.clone(),
            registers: outcome.registers,
            shared_bytes: outcome.shared_bytes,
            occupancy: outcome.occupancy,
            counters: outcome.counters,
            bytes_needed: outcome.cost.bytes_needed_by_a_launch,
            cpu: outcome.cpu.clone(),
            below: compared(outcome, earlier),
            measured: measured(outcome),
        }
    }
}

/// What `--check` says of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// Crate of the stage.
    pub stage: String,
    /// Published name of the kernel.
    pub kernel: String,
    /// Whether it is its twin in Rust.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_rust: bool,
    /// Bodies or elements.
    pub size: usize,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Whether all results were right; null after a fault, which leaves none.
    pub verified: Option<bool>,
    /// What the kernel does wrong.
    pub findings: Vec<Diagnosis>,
}

impl CheckRecord {
    /// The record of a checked kernel.
    #[must_use]
    pub fn new(stage: &Stage, plan: &Plan, checked: &Checked) -> Self {
        let config = plan.config();
        Self {
            stage: stage.name.into(),
            kernel: plan.rung.kernel.into(),
            in_rust: plan.in_rust,
            size: plan.size.n,
            grid: config.grid_dim.into(),
            block: config.block_dim.into(),
            verified: checked.report.as_ref().map(Report::passed),
            findings: checked.findings.clone(),
        }
    }
}

/// The time in UTC, `2026-11-22T03:45:16Z`.
#[must_use]
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// What was measured of the results and of the files beside the table.
fn measured(outcome: &Outcome) -> BTreeMap<String, f64> {
    let of_files = outcome.written.iter().flat_map(|written| &written.measured);
    let all = outcome.report.measured.iter().map(|(&name, &value)| (name, value)).chain(of_files.copied());
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Of the fields that a record has beside its own, those that are numbers.
fn numbers<'de, D: Deserializer<'de>>(fields: D) -> Result<BTreeMap<String, f64>, D::Error> {
    let fields = BTreeMap::<String, Value>::deserialize(fields)?;
    Ok(fields.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect())
}

/// Useful work a second; `None` without a time.
fn rate(outcome: &Outcome) -> Option<Rate> {
    let value = outcome.per_second(Some(outcome.cost.amount))? / 1e9;
    Some(Rate { value, unit: outcome.plan.facts().rate.unit.into() })
}
