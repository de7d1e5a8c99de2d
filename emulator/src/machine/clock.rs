//! What a block has executed, and when its warps let others go first.

use super::stop::{Stop, Watch};

/// Basic blocks that run before the group at hand lets others go first, so that a loop that waits for another warp
/// ends, and before the launch looks after the block.
const BLOCKS_A_TURN: u32 = 1 << 14;

/// Warp instructions of a turn, for basic blocks that are long.
const INSTRUCTIONS_A_TURN: u64 = 1 << 22;

/// The same, once lanes of this block were seen to wait for others of their warp: a lock changes hands each time. Also of
/// a block that is probed: a loop of up to six basic blocks ends each turn where it ended the one before.
const BLOCKS_A_SHORT_TURN: u32 = 60;

/// For how many basic blocks one of a loop that polls counts, once blocks of this launch were seen to wait.
const WEIGHT_OF_POLLING: u32 = 256;

/// How long turns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    Usual,
    /// Short in loops that poll.
    Waiting,
    /// All short.
    Probing,
}

/// What goes with a block that is put aside.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    /// Warp instructions that the watch knows of.
    passed: u64,
    /// Whether lanes were seen to wait for others of their warp.
    lanes_wait: bool,
}

/// Counts the warp instructions and basic blocks of a block.
pub(super) struct Clock<'a> {
    watch: &'a dyn Watch,
    count: Count,
    /// Warp instructions since the watch knows.
    instructions: u64,
    /// Basic blocks since the last turn ended, and how many a turn has. Groups form again all the time, at barriers and
    /// where lanes part and meet: none counts by itself.
    blocks: u32,
    most_blocks: u32,
    /// For how many one of a loop that polls counts.
    polling_weight: u32,
}

impl<'a> Clock<'a> {
    pub(super) fn new(watch: &'a dyn Watch) -> Self {
        let count = Count::default();
        Self { watch, count, instructions: 0, blocks: 0, most_blocks: BLOCKS_A_TURN, polling_weight: 1 }
    }

    /// What goes with the block.
    pub(super) fn count(&self) -> Count {
        self.count
    }

    /// Begins a block, or goes on with one.
    pub(super) fn set_count(&mut self, count: Count) {
        *self = Self { count, ..Self::new(self.watch) };
    }

    /// Whether lanes were seen to wait for others of their warp.
    pub(super) fn lanes_wait(&self) -> bool {
        self.count.lanes_wait
    }

    /// How long turns are from now on.
    pub(super) fn set_pace(&mut self, pace: Pace) {
        let short = self.count.lanes_wait || pace == Pace::Probing;
        self.most_blocks = if short { BLOCKS_A_SHORT_TURN } else { BLOCKS_A_TURN };
        self.polling_weight = if pace == Pace::Waiting && !short { WEIGHT_OF_POLLING } else { 1 };
    }

    /// Counts a basic block of this number of warp instructions; whether the turn goes on.
    #[inline(always)]
    pub(super) fn enter(&mut self, instructions: u64, polls: bool) -> bool {
        self.instructions += instructions;
        self.blocks += if polls { self.polling_weight } else { 1 };
        self.blocks < self.most_blocks && self.instructions < INSTRUCTIONS_A_TURN
    }

    /// Warp instructions of this block so far, plus one for each look at the clock: no time, but it goes forward, and a
    /// loop that waits for it ends.
    pub(super) fn read(&mut self) -> u64 {
        self.instructions += 1;
        self.count.passed + self.instructions
    }

    /// Turns are short from now on.
    pub(super) fn shorten_turns(&mut self) {
        (self.count.lanes_wait, self.most_blocks, self.polling_weight) = (true, BLOCKS_A_SHORT_TURN, 1);
    }

    /// Whether something was executed since the last turn ended.
    pub(super) fn is_under_way(&self) -> bool {
        self.blocks > 0 || self.instructions > 0
    }

    /// Ends a turn, and tells the watch what has been executed, and whether device memory has changed.
    pub(super) fn pass(&mut self, changed: bool) -> Result<(), Stop> {
        self.blocks = 0;
        let instructions = std::mem::take(&mut self.instructions);
        self.count.passed += instructions;
        // A block without instructions takes its time too.
        self.watch.pass(instructions.max(1), changed)
    }

    /// How often device memory has changed.
    pub(super) fn changes(&self) -> u64 {
        self.watch.changes()
    }
}
