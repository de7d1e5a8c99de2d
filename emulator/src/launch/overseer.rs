//! Looks after a launch while its blocks run.

use crate::ground::dimensions::Dim3;
use crate::ground::fault::FaultKind;
use crate::machine::stop::{Stop, Watch};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Hands out blocks, keeps the budget, and remembers the first fault.
pub(super) struct Overseer {
    next: AtomicU64,
    stopped: AtomicBool,
    instructions: AtomicU64,
    budget: Option<u64>,
    /// Number and place of the block, and what happened there.
    fault: Mutex<Option<(u64, Dim3, Stop)>>,
}

impl Overseer {
    pub(super) fn new(budget: Option<u64>) -> Self {
        Self {
            next: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            instructions: AtomicU64::new(0),
            budget,
            fault: Mutex::new(None),
        }
    }

    pub(super) fn next_block(&self, blocks: u64) -> Option<u64> {
        let number = self.next.fetch_add(1, Relaxed);
        (number < blocks && !self.stopped.load(Relaxed)).then_some(number)
    }

    /// Keeps the fault of the lowest block among those that ran.
    pub(super) fn stop(&self, number: u64, block: Dim3, stop: Stop) {
        self.stopped.store(true, Relaxed);
        if stop == Stop::Elsewhere {
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

impl Watch for Overseer {
    fn pass(&self, instructions: u64) -> Result<(), Stop> {
        let total = self.instructions.fetch_add(instructions, Relaxed) + instructions;
        if self.budget.is_some_and(|budget| total > budget) {
            let detail =
                format!("{total} warp instructions executed; the launch may execute {}", self.budget.unwrap_or(0));
            return Err(Stop::Fault { kind: FaultKind::Budget, position: 0, warp: 0, lane: 0, detail });
        }
        if self.stopped.load(Relaxed) { Err(Stop::Elsewhere) } else { Ok(()) }
    }
}
