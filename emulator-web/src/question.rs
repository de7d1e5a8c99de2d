//! What a page may ask.

use emulator::{Scene, ShuffleMode};
use serde::Deserialize;

/// A question; its fields are those of the JSON object.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum Question {
    /// What a load or store of global memory touches.
    Global(Access),
    /// What a load or store of shared memory takes.
    Shared {
        /// The access.
        #[serde(flatten)]
        access: Access,
        /// Whether it is a store.
        store: bool,
    },
    /// Which lane each lane reads.
    Shuffle {
        /// How lanes are chosen.
        mode: ShuffleMode,
        /// The second argument: lane, distance or bits.
        operand: u32,
        /// Lanes of a segment: 1, 2, 4, 8, 16 or 32.
        width: u32,
        /// The mask.
        active: u32,
    },
    /// How many blocks are resident on a multiprocessor.
    Occupancy {
        /// Registers of a thread.
        registers: u32,
        /// Shared memory of a block.
        shared_bytes: u32,
        /// Threads of a block.
        block: u32,
    },
    /// A launch, run to its end.
    Run {
        /// The launch.
        scene: Box<Scene>,
    },
    /// One block of a launch, instruction by instruction.
    Trace {
        /// The launch.
        scene: Box<Scene>,
        /// Number of the block in the grid.
        block: u64,
        /// Instructions at most.
        most_steps: usize,
    },
}

/// An access of one warp.
#[derive(Debug, Deserialize)]
pub struct Access {
    /// Address of each lane, a multiple of `bytes`.
    pub addresses: [u64; 32],
    /// A bit for each lane that takes part.
    pub active: u32,
    /// Bytes of a lane: 1, 2, 4, 8 or 16.
    pub bytes: u32,
}
