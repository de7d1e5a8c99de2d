//! The inputs and the results of a simulation.

use super::stalls::Stalls;
use crate::code::operation::Operation;
use crate::code::predicate::Heads;
use crate::gpu::Gpu;
use crate::together::Together;
use emulator::BlockStream;

/// The thousandths of a cycle in which rates are counted.
pub(super) const MILLI: u64 = 1000;

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
    /// The number of warps of a block.
    pub(crate) warps: u64,
    /// What its blocks access together with others.
    pub(crate) together: &'a Together,
    /// The share of what its part of the L2 cache lacks that comes from device memory, in thousandths: the rest was left there by
    /// other multiprocessors.
    pub(crate) fetched: u64,
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
    /// The basic blocks that are one with an earlier one.
    pub(crate) heads: &'a Heads,
    pub(crate) blocks: &'a [&'a BlockStream],
}

/// The amount of work that units did, in cycles of one unit. Those of schedulers are summed over all four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Busy {
    pub(crate) issue: u64,
    pub(crate) fma: u64,
    pub(crate) integer: u64,
    pub(crate) special: u64,
    pub(crate) shared: u64,
    /// Loads of constants by computed addresses, if warps displace each other's, in thousandths of a cycle.
    pub(crate) displaced_constants: u64,
    pub(crate) l1: u64,
    /// In thousandths of a cycle.
    pub(crate) l2: u64,
    /// In thousandths of a cycle.
    pub(crate) device_memory: u64,
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
    /// The number of sectors that the multiprocessor's part of the L2 cache lacked.
    pub(crate) lacked: u64,
    /// Whether it stopped before the work was done.
    pub(crate) is_cut: bool,
    /// Whether no warp could continue: warps of a block wait at different barriers.
    pub(crate) is_stuck: bool,
}
