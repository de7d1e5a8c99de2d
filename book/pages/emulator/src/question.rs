//! The questions of a page.

use emulator::{Scene, ShuffleMode};
use serde::Deserialize;

/// A question. Its fields are the fields of the JSON object.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum Question {
    /// The sectors of a load or store of global memory.
    Global(Access),
    /// The wavefronts of a load or store of shared memory.
    Shared {
        /// The access.
        #[serde(flatten)]
        access: Access,
        /// Whether it is a store.
        store: bool,
    },
    /// The source lanes of a shuffle.
    Shuffle {
        /// The mode of the shuffle.
        mode: ShuffleMode,
        /// The second argument: lane, distance or bits.
        operand: u32,
        /// The number of lanes per segment: 1, 2, 4, 8, 16 or 32.
        width: u32,
        /// The mask of participating lanes.
        active: u32,
    },
    /// The number of resident blocks on a multiprocessor.
    Occupancy {
        /// The number of registers per thread.
        registers: u32,
        /// The shared memory per block in bytes.
        shared_bytes: u32,
        /// The number of threads per block.
        block: u32,
    },
    /// The result of a launch.
    Run {
        /// The launch.
        scene: Box<Scene>,
    },
    /// The trace of one block of a launch.
    Trace {
        /// The launch.
        scene: Box<Scene>,
        /// The number of the block in the grid.
        block: u64,
        /// The largest number of instructions in the trace.
        most_steps: usize,
    },
}

/// A memory access of one warp.
#[derive(Debug, Deserialize)]
pub struct Access {
    /// The address of each lane, a multiple of `bytes`.
    pub addresses: [u64; 32],
    /// The active lanes, one bit per lane.
    pub active: u32,
    /// The number of bytes accessed per lane: 1, 2, 4, 8 or 16.
    pub bytes: u32,
}
