//! When a block lets other blocks go first: while it waits for what one of them does.
//!
//! Hardware promises progress to all blocks that are resident, so none may keep a worker for itself while it waits. What
//! waits is a loop whose turns end again and again without a change: of device memory, of shared memory, of the clock.
//! Such a block is *probed*: it goes on in short turns until it is as it was before, in all registers, local memory
//! and places. Then it does the same for ever, whoever goes first inside of it, as long as nobody changes device memory:
//! each thread reads what it read before. That is a proof and no guess, and what does not repeat goes on.
//!
//! Other blocks go first before lanes of its own warps do that wait only to meet those that poll: hardware, too, keeps
//! the lanes of a warp together as long as it can.

use super::arrivals::Arrivals;
use super::clock::Pace;
use super::split::Warp;
use crate::vector::registers::Registers;

/// Rounds without a change until a block that polls lets others go first, though it never is as it was before: it may
/// count how often it looks.
const QUIET_ROUNDS: u32 = 3;

/// The same with changes: it may take a lock again and again that it gives back without the other one that it needs.
const BUSY_ROUNDS: u32 = 64;

/// What is known of the waiting of the block at hand.
#[derive(Debug, Default)]
pub(super) struct Patience {
    /// Whether a block was seen to wait on this worker: others of the launch will too.
    pub(super) waits_seen: bool,
    /// Whether something has changed since the round began that a thread can see.
    moved: bool,
    /// Rounds since the block came to its worker, and the last ones of them in which nothing changed.
    rounds: u32,
    pub(super) quiet: u32,
    pub(super) left: Left,
    pub(super) probe: Option<Probe>,
    pub(super) before: Snapshot,
}

/// What goes with a block that is put aside.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Left {
    /// Changes of device memory that there were when it let others go first.
    pub(super) changes: Option<u64>,
    /// Whether lanes that wait only to meet others go on without them: no other block did anything.
    pub(crate) lanes_part: bool,
}

/// A probe that goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    pub(super) turns_left: u32,
    /// Changes of device memory when it began.
    pub(super) since: u64,
}

/// What the threads of a block go on from, shared memory aside: no thread changes it during a probe.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    pub(super) warps: Vec<Warp>,
    pub(super) registers: Registers,
    pub(super) local: Vec<u32>,
    pub(super) arrivals: Arrivals,
}

impl Patience {
    /// Begins a block, or goes on with one that was put aside.
    pub(super) fn begin(&mut self, left: Left) {
        self.left = left;
        (self.moved, self.rounds, self.quiet, self.probe) = (false, 0, 0, None);
    }

    /// Counts a round; whether nothing changed in it.
    pub(super) fn count_round(&mut self) -> bool {
        let quietly = !std::mem::take(&mut self.moved);
        self.rounds += 1;
        self.quiet = if quietly { self.quiet + 1 } else { 0 };
        quietly
    }

    /// Whether a block that polls has been at it for so long that others go first.
    pub(super) fn is_over(&self) -> bool {
        self.probe.is_none() && (self.quiet >= QUIET_ROUNDS || self.rounds >= BUSY_ROUNDS)
    }

    /// How long turns are.
    pub(super) fn pace(&self) -> Pace {
        match (self.probe, self.waits_seen) {
            (Some(_), _) => Pace::Probing,
            (None, true) => Pace::Waiting,
            (None, false) => Pace::Usual,
        }
    }

    /// Notes whether something changed that a thread can see.
    #[inline(always)]
    pub(super) fn notice(&mut self, changed: bool) {
        self.moved |= changed;
    }

    /// Whether changes of shared memory are to be noticed.
    #[inline(always)]
    pub(super) fn is_probing(&self) -> bool {
        self.probe.is_some()
    }
}
