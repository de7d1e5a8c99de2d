//! The supervision of a launch while its blocks run.

use super::block_scheduler::BlockScheduler;
use crate::ground::dimensions::Dim3;
use crate::ground::fault::FaultKind;
use crate::machine::stop::{Stop, Watch};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Enforces the instruction budget, and keeps the first fault.
pub(super) struct Monitor {
    pub(super) scheduler: BlockScheduler,
    instructions: AtomicU64,
    budget: Option<u64>,
    /// The number of the block, its index in the grid, and its fault.
    fault: Mutex<Option<(u64, Dim3, Stop)>>,
}

impl Monitor {
    pub(super) fn new(scheduler: BlockScheduler, budget: Option<u64>) -> Self {
        Self { scheduler, instructions: AtomicU64::new(0), budget, fault: Mutex::new(None) }
    }

    /// Stops the launch, and keeps the fault of the block with the lowest number.
    pub(super) fn stop(&self, number: u64, block: Dim3, stop: Stop) {
        self.scheduler.stop();
        if stop == Stop::Cancelled {
            return;
        }
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if fault.as_ref().is_none_or(|(first, ..)| number < *first) {
            *fault = Some((number, block, stop));
        }
    }

    pub(super) fn into_fault(self) -> Option<(Dim3, Stop)> {
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        fault.map(|(_, block, stop)| (block, stop))
    }
}

impl Watch for Monitor {
    fn report_progress(&self, instructions: u64, changed: bool) -> Result<(), Stop> {
        if changed {
            self.scheduler.change();
        }
        let total = self.instructions.fetch_add(instructions, Relaxed) + instructions;
        if self.budget.is_some_and(|budget| total > budget) {
            let budget = self.budget.unwrap_or(0);
            let detail = format!("the launch has executed {total} warp instructions; its budget is {budget}");
            return Err(Stop::Fault { kind: FaultKind::Budget, position: 0, warp: 0, lane: 0, detail });
        }
        if self.scheduler.is_stopped() { Err(Stop::Cancelled) } else { Ok(()) }
    }

    fn changes(&self) -> u64 {
        self.scheduler.changes()
    }
}
