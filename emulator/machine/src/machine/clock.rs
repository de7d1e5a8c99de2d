//! The clock of a block: the instructions that it has executed, and the ends of its time slices.

use super::stop::{Stop, Watch};

/// Basic blocks in a time slice. At its end other warps run, so that a loop that waits for another warp ends, and the
/// launch checks its budget.
const BASIC_BLOCKS_PER_SLICE: u32 = 1 << 14;

/// Warp instructions in a time slice, which limit it if basic blocks are long.
const INSTRUCTIONS_PER_SLICE: u64 = 1 << 22;

/// Basic blocks in a short time slice. Slices are short once lanes have waited for other lanes of their warp, because a
/// lock may change hands in every slice, and in probes: 60 is a multiple of 1 to 6, so a loop of up to six basic blocks
/// ends each slice at the same basic block.
const BASIC_BLOCKS_PER_SHORT_SLICE: u32 = 60;

/// The number of basic blocks that one of a polling loop counts for, once blocks of this launch have been found spinning.
const POLLING_WEIGHT: u32 = 256;

/// The length of time slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SliceLength {
    Normal,
    ShortInSpinLoops,
    Short,
}

/// The part of the clock that is saved with a suspended block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClockState {
    /// Warp instructions reported to the watch.
    reported: u64,
    /// Instructions charged to the budgets: at least one per report.
    charged: u64,
    /// Whether lanes have waited for other lanes of their warp.
    intra_warp_spin: bool,
}

/// Counts the warp instructions and basic blocks of a block.
pub(super) struct Clock<'a> {
    watch: &'a dyn Watch,
    state: ClockState,
    /// Warp instructions since the last report to the watch.
    instructions: u64,
    /// Basic blocks in this time slice. The count spans groups, which form anew at every barrier, divergence and
    /// reconvergence.
    blocks: u32,
    /// Basic blocks per time slice.
    max_blocks: u32,
    /// The number of basic blocks that one of a polling loop counts for.
    polling_weight: u32,
}

impl<'a> Clock<'a> {
    pub(super) fn new(watch: &'a dyn Watch) -> Self {
        let state = ClockState::default();
        Self { watch, state, instructions: 0, blocks: 0, max_blocks: BASIC_BLOCKS_PER_SLICE, polling_weight: 1 }
    }

    /// Returns the state to save with the block.
    pub(super) fn state(&self) -> ClockState {
        self.state
    }

    /// Starts with a new block, or with a resumed one.
    pub(super) fn restore(&mut self, state: ClockState) {
        *self = Self { state, ..Self::new(self.watch) };
    }

    /// Returns whether lanes have waited for other lanes of their warp.
    pub(super) fn intra_warp_spin(&self) -> bool {
        self.state.intra_warp_spin
    }

    /// Sets the length of the following time slices.
    pub(super) fn set_slice_length(&mut self, length: SliceLength) {
        let short = self.state.intra_warp_spin || length == SliceLength::Short;
        self.max_blocks = if short { BASIC_BLOCKS_PER_SHORT_SLICE } else { BASIC_BLOCKS_PER_SLICE };
        self.polling_weight = if length == SliceLength::ShortInSpinLoops && !short { POLLING_WEIGHT } else { 1 };
    }

    /// Counts a basic block of `instructions` warp instructions and returns whether the time slice continues.
    #[inline(always)]
    pub(super) fn enter(&mut self, instructions: u64, polls: bool) -> bool {
        self.instructions += instructions;
        self.blocks += if polls { self.polling_weight } else { 1 };
        self.blocks < self.max_blocks && self.instructions < INSTRUCTIONS_PER_SLICE
    }

    /// Returns the number of warp instructions of this block so far, plus one for each read of the clock. It is not a time,
    /// but it increases, so a loop that waits for it ends.
    pub(super) fn read(&mut self) -> u64 {
        self.instructions += 1;
        self.state.reported + self.instructions
    }

    /// Makes all following time slices of this block short.
    pub(super) fn shorten_slices(&mut self) {
        (self.state.intra_warp_spin, self.max_blocks, self.polling_weight) = (true, BASIC_BLOCKS_PER_SHORT_SLICE, 1);
    }

    /// Returns whether anything has been executed since the last report to the watch.
    pub(super) fn has_progress(&self) -> bool {
        self.blocks > 0 || self.instructions > 0
    }

    /// Ends a time slice and reports to the watch. `changed`: device memory has changed.
    pub(super) fn report_progress(&mut self, changed: bool) -> Result<(), Stop> {
        self.blocks = 0;
        let instructions = std::mem::take(&mut self.instructions);
        self.state.reported += instructions;
        // A loop of empty basic blocks must use up the budgets, too.
        self.state.charged += instructions.max(1);
        self.watch.report_progress(instructions.max(1), self.state.charged, changed)
    }

    /// Returns the number of changes of device memory.
    pub(super) fn changes(&self) -> u64 {
        self.watch.changes()
    }
}
