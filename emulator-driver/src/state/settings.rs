//! How launches run: what the `coalesced_set_…` functions change.

use emulator::Options;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

static COUNTERS: AtomicBool = AtomicBool::new(false);
static CHECKS: AtomicBool = AtomicBool::new(false);
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// 0 is no budget.
static INSTRUCTION_BUDGET: AtomicU64 = AtomicU64::new(0);

pub(crate) fn set_counters(on: bool) {
    COUNTERS.store(on, Relaxed);
}

pub(crate) fn set_checks(on: bool) {
    CHECKS.store(on, Relaxed);
}

/// Returns whether a launch that starts now is checked.
pub(crate) fn checks() -> bool {
    CHECKS.load(Relaxed)
}

pub(crate) fn set_threads(threads: usize) {
    THREADS.store(threads, Relaxed);
}

pub(crate) fn set_instruction_budget(warp_instructions: u64) {
    INSTRUCTION_BUDGET.store(warp_instructions, Relaxed);
}

/// Returns the options of a launch that starts now.
pub(crate) fn options() -> Options {
    let budget = INSTRUCTION_BUDGET.load(Relaxed);
    Options {
        counters: COUNTERS.load(Relaxed),
        threads: THREADS.load(Relaxed),
        instruction_budget: (budget != 0).then_some(budget),
    }
}
