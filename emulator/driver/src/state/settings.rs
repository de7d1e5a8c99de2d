//! Settings: environment variables, and the values that the `coalesced_set_…` functions change.

use crate::device_properties::{MAX_DEVICES, Properties};
use crate::result::{Error, Outcome, invalid};
use emulator::Options;
use predict::Gpu;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// If this variable is set and not empty, every failed call is logged to standard error. Programs not written for the
/// emulator print a status at most, and never query the reason.
const LOG_VARIABLE: &str = "COALESCED_EMULATOR_LOG";

/// The number of devices of the process; if this variable is unset or empty, one, or as many as are described.
const DEVICES_VARIABLE: &str = "COALESCED_DEVICES";

static LOG: LazyLock<bool> = LazyLock::new(|| is_set(LOG_VARIABLE));

/// If this variable is set and not empty, the checks are on from the start, and findings are printed to standard error: for programs
/// not written for the emulator.
const CHECKS_VARIABLE: &str = "COALESCED_CHECKS";

static PRINTS_FINDINGS: LazyLock<bool> = LazyLock::new(|| is_set(CHECKS_VARIABLE));

static COUNTERS: AtomicBool = AtomicBool::new(false);
static CHECKS: AtomicBool = AtomicBool::new(false);
static SAMPLES: AtomicBool = AtomicBool::new(false);
static SCENES: AtomicBool = AtomicBool::new(false);
static ESTIMATES: AtomicU32 = AtomicU32::new(0);
/// The index in [`predict::GPUS`].
static ESTIMATED_GPU: AtomicUsize = AtomicUsize::new(0);
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// 0 means no budget.
static INSTRUCTION_BUDGET: AtomicU64 = AtomicU64::new(0);
/// 0 means no budget.
static BLOCK_BUDGET: AtomicU64 = AtomicU64::new(0);

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// Returns whether findings are printed.
pub(crate) fn prints_findings() -> bool {
    *PRINTS_FINDINGS
}

pub(crate) fn set_counters(on: bool) {
    COUNTERS.store(on, Relaxed);
}

pub(crate) fn set_checks(on: bool) {
    CHECKS.store(on, Relaxed);
}

/// Returns whether launches are checked.
pub(crate) fn checks() -> bool {
    CHECKS.load(Relaxed)
}

pub(crate) fn set_samples(on: bool) {
    SAMPLES.store(on, Relaxed);
}

/// Returns whether only a sample of a launch's blocks runs.
pub(crate) fn samples() -> bool {
    SAMPLES.load(Relaxed)
}

pub(crate) fn set_scenes(on: bool) {
    SCENES.store(on, Relaxed);
}

/// Returns whether launches are recorded as scenes.
pub(crate) fn scenes() -> bool {
    SCENES.load(Relaxed)
}

/// The treatment of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Estimates {
    /// It runs.
    Off,
    /// It is estimated, and runs.
    Beside,
    /// It is estimated, and does not run.
    Instead,
}

pub(crate) fn set_estimates(mode: u32) {
    ESTIMATES.store(mode, Relaxed);
}

/// Returns whether launches are estimated.
pub(crate) fn estimates() -> Estimates {
    match ESTIMATES.load(Relaxed) {
        0 => Estimates::Off,
        1 => Estimates::Beside,
        _ => Estimates::Instead,
    }
}

pub(crate) fn set_estimated_gpu(index: usize) {
    ESTIMATED_GPU.store(index, Relaxed);
}

/// Returns the GPU that launches are estimated for.
pub(crate) fn estimated_gpu() -> &'static Gpu {
    predict::GPUS.get(ESTIMATED_GPU.load(Relaxed)).copied().unwrap_or(&predict::H200)
}

pub(crate) fn set_threads(threads: usize) {
    THREADS.store(threads, Relaxed);
}

pub(crate) fn set_instruction_budget(warp_instructions: u64) {
    INSTRUCTION_BUDGET.store(warp_instructions, Relaxed);
}

pub(crate) fn set_block_budget(warp_instructions: u64) {
    BLOCK_BUDGET.store(warp_instructions, Relaxed);
}

/// Returns the number of devices of the process; `None` if it is not set. Fails if `COALESCED_DEVICES` is not a number from 1 to
/// [`MAX_DEVICES`].
pub(crate) fn devices() -> Outcome<Option<u32>> {
    let text = std::env::var_os(DEVICES_VARIABLE).unwrap_or_default();
    let text = text.to_string_lossy();
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || format!("{DEVICES_VARIABLE} is `{text}`: set it to a number of devices from 1 to {MAX_DEVICES}");
    let count = text.parse().ok().filter(|count| (1..=MAX_DEVICES).contains(count));
    count.map(Some).ok_or_else(|| invalid(wrong()))
}

/// Logs a failed driver call and its reason to standard error, if `COALESCED_EMULATOR_LOG` is set.
pub(crate) fn log_failure(name: &str, error: &Error) {
    if *LOG {
        let status = error.code.name().unwrap_or_default().to_string_lossy();
        eprintln!("{name}: {status}: {}", error.detail.as_deref().unwrap_or("no further detail"));
    }
}

/// Returns the current options of a launch on a device.
pub(crate) fn options(device: &Properties) -> Options {
    let budget = |number: &AtomicU64| Some(number.load(Relaxed)).filter(|&budget| budget != 0);
    let limits = [budget(&INSTRUCTION_BUDGET), device.time_limit];
    Options {
        counters: COUNTERS.load(Relaxed),
        threads: THREADS.load(Relaxed),
        instruction_budget: limits.into_iter().flatten().min(),
        block_budget: budget(&BLOCK_BUDGET),
        multiprocessors: device.multiprocessors,
        ..Options::default()
    }
}
