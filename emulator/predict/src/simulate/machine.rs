//! The inputs and the results of a simulation.

use super::stalls::Stalls;
use super::units::Busy;
use crate::code::operation::Operation;
use crate::gpu::Gpu;
use emulator::BlockStream;

/// The launch, as far as one multiprocessor sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'a> {
    pub(crate) gpu: &'a Gpu,
    /// The number of multiprocessors that have blocks.
    pub(crate) occupied: u64,
    /// The number of blocks that can be resident.
    pub(crate) resident: usize,
    /// The bytes that remain for the L1 cache.
    pub(crate) l1_bytes: u64,
    /// Whether the data do not fit the L2 cache.
    pub(crate) uses_device_memory: bool,
    /// The number of registers of a thread, virtual ones.
    pub(crate) registers: usize,
    /// The number of issue slots after which the simulation stops.
    pub(crate) max_slots: u64,
}

/// The work of the multiprocessor: the first of its blocks, in their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work<'a> {
    /// The operations of each basic block.
    pub(crate) code: &'a [Vec<Operation>],
    pub(crate) blocks: &'a [&'a BlockStream],
}

/// The result of a simulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simulation {
    /// The cycles until the last block ended and memory had done its work, or until the simulation stopped.
    pub(crate) cycles: u64,
    /// The number of issue slots at some cycles, in ascending order: where the simulation was when.
    pub(crate) progress: Vec<(u64, u64)>,
    /// The cycles in which blocks ended, in ascending order.
    pub(crate) ends: Vec<u64>,
    pub(crate) stalls: Stalls,
    pub(crate) busy: Busy,
    /// Whether it stopped before the work was done.
    pub(crate) is_cut: bool,
    /// Whether no warp could continue: warps of a block wait at different barriers.
    pub(crate) is_stuck: bool,
}
