//! The supervision of a launch while its blocks run.

use super::block_scheduler::BlockScheduler;
use crate::ground::dimensions::Dim3;
use crate::ground::fault::FaultKind;
use crate::machine::stop::{Stop, Watch};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The numbers of warp instructions after which a launch stops with a fault.
#[derive(Clone, Copy, Default)]
pub(super) struct Budgets {
    pub(super) launch: Option<u64>,
    pub(super) block: Option<u64>,
}

/// Enforces the budgets, and keeps the first fault.
pub(super) struct Monitor {
    pub(super) scheduler: BlockScheduler,
    instructions: AtomicU64,
    budgets: Budgets,
    /// The number of the block, its index in the grid, and its fault.
    fault: Mutex<Option<(u64, Dim3, Stop)>>,
}

impl Monitor {
    pub(super) fn new(scheduler: BlockScheduler, budgets: Budgets) -> Self {
        Self { scheduler, instructions: AtomicU64::new(0), budgets, fault: Mutex::new(None) }
    }

    /// Stops the launch, and keeps the fault of the block with the lowest number.
    pub(super) fn stop(&self, number: u64, block: Dim3, stop: Stop) {
        self.scheduler.stop();
        if stop == Stop::Canceled {
            return;
        }
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if fault.as_ref().is_none_or(|(first, ..)| number < *first) {
            *fault = Some((number, block, stop));
        }
    }

    /// Returns the number of warp instructions so far, as far as it was reported.
    pub(super) fn instructions(&self) -> u64 {
        self.instructions.load(Relaxed)
    }

    pub(super) fn into_fault(self) -> Option<(Dim3, Stop)> {
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        fault.map(|(_, block, stop)| (block, stop))
    }
}

impl Watch for Monitor {
    fn report_progress(&self, instructions: u64, of_block: u64, changed: bool) -> Result<(), Stop> {
        if changed {
            self.scheduler.change();
        }
        let total = self.instructions.fetch_add(instructions, Relaxed) + instructions;
        over("the launch", total, self.budgets.launch)?;
        over("this block", of_block, self.budgets.block)?;
        if self.scheduler.is_stopped() { Err(Stop::Canceled) } else { Ok(()) }
    }

    fn changes(&self) -> u64 {
        self.scheduler.changes()
    }
}

/// Returns a fault if more warp instructions have been executed than a budget allows.
fn over(what: &str, executed: u64, budget: Option<u64>) -> Result<(), Stop> {
    let Some(budget) = budget.filter(|&budget| executed > budget) else { return Ok(()) };
    let detail = format!("{what} has executed {executed} warp instructions; its budget is {budget}");
    Err(Stop::Fault { kind: FaultKind::Budget, position: 0, warp: 0, lane: 0, detail })
}
