//! Looks after a launch while its blocks run.

use super::roster::Roster;
use crate::ground::dimensions::Dim3;
use crate::ground::fault::FaultKind;
use crate::machine::stop::{Stop, Watch};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Keeps the budget, and remembers the first fault.
pub(super) struct Overseer {
    pub(super) roster: Roster,
    instructions: AtomicU64,
    budget: Option<u64>,
    /// Number and place of the block, and what happened there.
    fault: Mutex<Option<(u64, Dim3, Stop)>>,
}

impl Overseer {
    pub(super) fn new(roster: Roster, budget: Option<u64>) -> Self {
        Self { roster, instructions: AtomicU64::new(0), budget, fault: Mutex::new(None) }
    }

    /// Keeps the fault of the lowest block among those that ran.
    pub(super) fn stop(&self, number: u64, block: Dim3, stop: Stop) {
        self.roster.stop();
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
    fn pass(&self, instructions: u64, changed: bool) -> Result<(), Stop> {
        if changed {
            self.roster.change();
        }
        let total = self.instructions.fetch_add(instructions, Relaxed) + instructions;
        if self.budget.is_some_and(|budget| total > budget) {
            let detail =
                format!("{total} warp instructions executed; the launch may execute {}", self.budget.unwrap_or(0));
            return Err(Stop::Fault { kind: FaultKind::Budget, position: 0, warp: 0, lane: 0, detail });
        }
        if self.roster.is_stopped() { Err(Stop::Elsewhere) } else { Ok(()) }
    }

    fn changes(&self) -> u64 {
        self.roster.changes()
    }
}
