//! Spin detection: when a block that waits for another block yields its worker.
//!
//! Hardware guarantees forward progress to all resident blocks, so a waiting block must not keep a worker for itself. A
//! block waits if its loops end time slice after time slice without a change to device memory, shared memory or the clock.
//! Such a block is *probed*: it runs in short time slices until its registers, local memory and program positions are equal
//! to those at the start of the probe. From there on it repeats itself, whatever the order in which its warps run, until
//! device memory changes, because every thread reads the same values as before. The comparison is a proof, not a heuristic;
//! a block that does not repeat a state continues to run.
//!
//! Other blocks run before lanes of the same warp that only wait to reconverge with the spinning lanes: hardware, too, keeps
//! the lanes of a warp converged as long as it can.

use super::clock::SliceLength;
use super::memories::Arrivals;
use super::split::Warp;
use crate::vector::registers::Registers;

/// Rounds without a change after which a polling block yields even if it never repeats a state: it may count its polls.
const MAX_UNCHANGED_ROUNDS: u32 = 3;

/// Rounds after which a polling block yields even if something changes in each: it may take and release one lock again and
/// again because it cannot get a second one.
const MAX_ROUNDS: u32 = 64;

/// The spin detection of the current block.
#[derive(Debug, Default)]
pub(super) struct SpinDetector {
    /// Whether a block has been found spinning on this worker: other blocks of the launch probably will, too.
    pub(super) spin_seen: bool,
    /// Whether something that a thread can observe has changed in this round.
    changed: bool,
    /// The same for the rounds before it, since the block was started or resumed.
    changed_before: bool,
    /// Rounds since the block was started or resumed on its worker.
    rounds: u32,
    /// The most recent rounds in which nothing changed.
    pub(super) unchanged_rounds: u32,
    pub(super) history: SpinHistory,
    pub(super) probe: Option<Probe>,
    /// The state at the start of the probe.
    pub(super) before: Snapshot,
}

/// The part of the spin detection that is saved with a suspended block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SpinHistory {
    /// The number of changes of device memory when the block last yielded.
    pub(super) changes: Option<u64>,
    /// Whether lanes that only wait to reconverge continue without the others, because no other block made progress.
    pub(crate) skip_reconvergence: bool,
}

/// A probe in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    pub(super) slices_left: u32,
    /// The number of changes of device memory when the probe began.
    pub(super) since: u64,
}

/// The state that determines how the threads of a block continue, except shared memory, which no thread changes during a
/// probe.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    pub(super) warps: Vec<Warp>,
    pub(super) registers: Registers,
    pub(super) local: Vec<u32>,
    pub(super) arrivals: Arrivals,
}

impl SpinDetector {
    /// Starts with a new block, or with a resumed one.
    pub(super) fn begin(&mut self, history: SpinHistory) {
        self.history = history;
        (self.changed, self.changed_before) = (false, false);
        (self.rounds, self.unchanged_rounds, self.probe) = (0, 0, None);
    }

    /// Counts a round and returns whether nothing changed in it.
    pub(super) fn count_round(&mut self) -> bool {
        let unchanged = !std::mem::take(&mut self.changed);
        self.changed_before |= !unchanged;
        self.rounds += 1;
        self.unchanged_rounds = if unchanged { self.unchanged_rounds + 1 } else { 0 };
        unchanged
    }

    /// Returns whether a polling block has run for so long that it yields.
    pub(super) fn should_yield(&self) -> bool {
        self.probe.is_none() && (self.unchanged_rounds >= MAX_UNCHANGED_ROUNDS || self.rounds >= MAX_ROUNDS)
    }

    /// Returns the length of the time slices.
    pub(super) fn slice_length(&self) -> SliceLength {
        match (self.probe, self.spin_seen) {
            (Some(_), _) => SliceLength::Short,
            (None, true) => SliceLength::ShortInSpinLoops,
            (None, false) => SliceLength::Normal,
        }
    }

    /// Records whether something that a thread can observe has changed.
    #[inline(always)]
    pub(super) fn note_change(&mut self, changed: bool) {
        self.changed |= changed;
    }

    /// Returns whether anything has changed since the block was started or resumed.
    pub(super) fn has_changed(&self) -> bool {
        self.changed || self.changed_before
    }

    /// Returns whether changes of shared memory must be recorded.
    #[inline(always)]
    pub(super) fn is_probing(&self) -> bool {
        self.probe.is_some()
    }
}
