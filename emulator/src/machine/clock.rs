//! What a block has executed, and when its warps let others go first.

use super::stop::{Stop, Watch};

/// Basic blocks that run before the group at hand lets others go first, so that a loop that waits for another warp
/// ends, and before the launch looks after the block.
const BLOCKS_A_TURN: u32 = 1 << 14;

/// Warp instructions of a turn, for basic blocks that are long.
const INSTRUCTIONS_A_TURN: u64 = 1 << 22;

/// The same, once lanes of this block were seen to wait for others of their warp: a lock changes hands each time.
const BLOCKS_A_TURN_OF_WAITING: u32 = 1 << 6;

/// Counts the warp instructions and basic blocks of a block.
pub(super) struct Clock<'a> {
    watch: &'a dyn Watch,
    /// Warp instructions that the watch knows of, and those since.
    passed: u64,
    instructions: u64,
    /// Basic blocks since the last turn ended, and how many a turn has. Groups form again all the time, at barriers and
    /// where lanes part and meet: none counts by itself.
    blocks: u32,
    most_blocks: u32,
}

impl<'a> Clock<'a> {
    pub(super) fn new(watch: &'a dyn Watch) -> Self {
        Self { watch, passed: 0, instructions: 0, blocks: 0, most_blocks: BLOCKS_A_TURN }
    }

    /// Begins a block.
    pub(super) fn reset(&mut self) {
        *self = Self::new(self.watch);
    }

    /// Counts a basic block of this number of warp instructions; whether the turn goes on.
    #[inline(always)]
    pub(super) fn enter(&mut self, instructions: u64) -> bool {
        self.instructions += instructions;
        self.blocks += 1;
        self.blocks < self.most_blocks && self.instructions < INSTRUCTIONS_A_TURN
    }

    /// Warp instructions of this block so far, plus one for each look at the clock: no time, but it goes forward, and a
    /// loop that waits for it ends.
    pub(super) fn read(&mut self) -> u64 {
        self.instructions += 1;
        self.passed + self.instructions
    }

    /// Turns are short from now on.
    pub(super) fn shorten_turns(&mut self) {
        self.most_blocks = BLOCKS_A_TURN_OF_WAITING;
    }

    /// Ends a turn, and tells the watch what has been executed.
    pub(super) fn pass(&mut self) -> Result<(), Stop> {
        self.blocks = 0;
        let instructions = std::mem::take(&mut self.instructions);
        self.passed += instructions;
        // A block without instructions takes its time too.
        self.watch.pass(instructions.max(1))
    }
}
