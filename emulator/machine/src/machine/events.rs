//! The events of a launch. Observers receive them and cannot change what the launch computes.

use super::addresses::Addresses;
use super::bind::BoundStep;
use crate::ground::lanes::WARP_SIZE;
use crate::ground::space::Space;
use crate::isa::memory::{Scope, Strength};
use crate::lower::step::Program;
use crate::memory::view::MemoryView;
use crate::vector::registers::Registers;

/// The kind of an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessKind {
    Load,
    Store,
    /// `swaps` is set for compare-and-swap, which reads its two operands one after the other. `reads`: the new value depends
    /// on the old one. `counts`: it adds 1 to a word of shared memory whose old value nobody reads.
    Atomic {
        swaps: bool,
        reads: bool,
        counts: bool,
    },
    /// The read of global memory by an asynchronous copy.
    CopyFrom {
        bulk: bool,
    },
    /// The issue of an asynchronous copy that will write shared memory.
    CopyInto {
        bulk: bool,
    },
    /// The read of shared memory by a product of a warpgroup.
    Product,
    /// An access to an mbarrier, which is initialized or invalidated if `plain`, and only read if `tests`.
    Barrier {
        plain: bool,
        tests: bool,
    },
}

impl AccessKind {
    /// Returns whether it is an atomic that counts the lanes with equal addresses.
    pub(crate) fn counts(self) -> bool {
        matches!(self, Self::Atomic { counts: true, .. })
    }
}

/// A completed asynchronous copy of one lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompletedCopy {
    /// The warp that issued it.
    pub(crate) warp: usize,
    /// The lane that issued it.
    pub(crate) lane: usize,
    /// The step that issued it.
    pub(crate) position: u32,
    /// The destination in shared memory.
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// Whether the lane waited for the copy; otherwise the copy arrives at an mbarrier.
    pub(crate) waited: bool,
}

/// The origin of an arrival at an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arriving {
    /// An operation that orders no accesses.
    Unordered,
    /// A thread, by warp and lane.
    Thread(usize, usize),
    /// Completed copies.
    Copies,
}

/// A memory instruction of one warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    /// Never generic: a generic access is split into one access per space.
    pub(crate) space: Space,
    pub(crate) kind: AccessKind,
    pub(crate) strength: Strength,
    pub(crate) addresses: &'a Addresses<'a>,
    /// The number of the warp in the block.
    pub(crate) warp: usize,
    /// The step.
    pub(crate) position: u32,
    /// The values of a store for an observer with [`Observer::EVERY_ACCESS`], by vector element and lane; otherwise empty.
    pub(crate) stored: &'a [[u64; WARP_SIZE]],
}

/// Accesses to words of 32 bits at equal or consecutive addresses, by several warps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WordAccesses {
    /// One for each warp.
    pub(crate) requests: u64,
    /// The active lanes of all warps.
    pub(crate) lanes: u64,
    /// The sectors of all warps, if the memory is global.
    pub(crate) sectors: u64,
}

impl WordAccesses {
    /// Adds the access of a warp.
    #[inline(always)]
    pub(super) fn add(&mut self, mask: u32, sectors: u64) {
        self.requests += 1;
        self.lanes += u64::from(mask.count_ones());
        self.sectors += sectors;
    }
}

/// A mistake after which the launch continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mistake {
    /// A barrier of the block that only some lanes of a warp reach.
    DivergentBarrier,
    /// A barrier for a number of threads that is not a multiple of the warp size.
    PartOfWarp { threads: u32 },
    /// A warp-level instruction whose member mask omits a lane that executes it.
    MaskWithoutCaller,
    /// A shuffle that reads from an inactive lane.
    ShuffleFromInactive,
    /// A warp-level instruction whose lanes name each other in different masks.
    DifferentMasks,
    /// A warp-level instruction that lanes execute in another round of a loop than those that wait for them there.
    DifferentRounds,
}

/// Lanes at a step: their warp, the position, and the lanes.
pub(crate) type Side = (usize, u32, u32);

/// Receives the events of one worker, in order.
pub(crate) trait Observer: Send {
    /// Whether the observer uses any events.
    const ON: bool;
    /// Whether it needs each access, with the stored values; otherwise the accesses of a fast path are summed up.
    const EVERY_ACCESS: bool = false;
    /// Whether it needs each warp that enters a basic block.
    const EVERY_ENTRY: bool = false;
    /// Whether it needs each step, with the registers after it.
    const EVERY_STEP: bool = false;

    /// Whether it needs each step of kernels with products of warpgroups.
    const PRODUCTS: bool = false;
    /// Whether it marks the bytes that a kernel writes as written.
    const MARKS_WRITES: bool = false;

    /// Returns an observer for a kernel on a device with this memory.
    fn new(program: &Program, device: &MemoryView) -> Self;
    /// Asks an observer that has a use for it to count, too.
    fn count(&mut self, _program: &Program) {}
    /// A block begins, with this number in the grid and this number of warps.
    fn begin(&mut self, _block: u64, _warps: usize) {}
    /// `warps` warps with `lanes` active lanes in total enter a basic block.
    fn enter(&mut self, _block: u32, _warps: u64, _lanes: u64) {}
    /// A warp enters a basic block with these active lanes.
    fn enter_warp(&mut self, _block: u32, _warp: usize, _active: u32) {}
    /// A warp accesses memory.
    fn access(&mut self, _access: &Access<'_>) {}
    /// Warps load aligned values of `bytes` bytes, all lanes of a warp from one address.
    fn uniform_loads(&mut self, _space: Space, _warps: u64, _bytes: u64) {}
    /// Warps load or store words.
    fn word_accesses(&mut self, _space: Space, _is_load: bool, _accesses: &WordAccesses) {}
    /// Warps execute a branch at a step, which diverges in `divergent` of them.
    fn branches(&mut self, _warps: u64, _divergent: u64, _position: u32) {}
    /// Warps reach a barrier.
    fn barriers(&mut self, _warps: u64) {}
    /// A warp arrives at the barrier with this number, for part of the block, at a step; it `waits` there or continues.
    fn arrives_at_part(&mut self, _number: u32, _warp: usize, _waits: bool, _position: u32) {}
    /// The threads that waited at the barrier with this number have passed it.
    fn part_synchronized(&mut self, _number: u32) {}
    /// Warps execute a shuffle.
    fn shuffles(&mut self, _warps: u64) {}
    /// Warps execute a vote.
    fn votes(&mut self, _warps: u64) {}
    /// The threads of the block pass a barrier.
    fn block_synchronized(&mut self) {}
    /// The lanes `mask` of a warp pass a `bar.warp.sync`, which orders memory; the lanes `alive` have not exited.
    fn warp_synchronized(&mut self, _warp: usize, _mask: u32, _alive: u32) {}
    /// The lanes `mask` of a warp pass another warp-level instruction, such as a shuffle, which orders no memory.
    fn warp_exchanged(&mut self, _warp: usize, _mask: u32) {}
    /// The current block is suspended.
    fn suspend(&mut self, _block: u64) {}
    /// A suspended block is resumed.
    fn resume(&mut self, _block: u64) {}
    /// A warp arrives at the barrier of its cluster.
    fn arrives_at_cluster(&mut self, _cluster: u64, _warp: usize, _releases: bool) {}
    /// All threads of a cluster have arrived at its barrier.
    fn completes_cluster(&mut self, _cluster: u64) {}
    /// A warp passes the barrier of its cluster.
    fn passes_cluster(&mut self, _cluster: u64, _warp: usize) {}
    /// The next accesses to shared memory, by lanes of a warp at a step, are to that of another block of the cluster.
    fn enter_peer(&mut self, _block: u64, _warp: usize, _lanes: u32, _position: u32) {}
    /// The next accesses to shared memory are to that of the block again.
    fn leave_peer(&mut self) {}
    /// A thread initializes an mbarrier.
    fn initializes_barrier(&mut self) {}
    /// An arrival at the mbarrier at this byte of shared memory, which `ends` its phase or not.
    fn arrives(&mut self, _barrier: u64, _by: Arriving, _ends: bool) {}
    /// A thread observes that the phase for which it waits is complete.
    fn passes(&mut self, _barrier: u64, _warp: usize, _lane: usize) {}
    /// An asynchronous copy has written shared memory.
    fn copy_completed(&mut self, _copy: &CompletedCopy) {}
    /// A warp executes a fence of this scope.
    fn fenced(&mut self, _warp: usize, _scope: Scope) {}
    /// A warp executes a fence between accesses of threads and asynchronous operations.
    fn proxy_fenced(&mut self, _warp: usize) {}
    /// Lanes of a warp make a mistake after which the launch continues.
    fn mistaken(&mut self, _kind: Mistake, _warp: usize, _lanes: u32, _position: u32) {}
    /// Parts of a warp execute one warp-level instruction at two steps, each given by its position and lanes.
    fn synchronized_at_different_lines(&mut self, _warp: usize, _first: (u32, u32), _other: (u32, u32)) {}
    /// Lanes of a warp that are at one step part.
    fn part(&mut self, _warp: usize, _some: u32, _others: u32) {}
    /// Lanes execute a warp-level instruction together. Their mask names the lanes `absent`, which have exited.
    fn exchanges(&mut self, _lanes: Side, _absent: u32) {}
    /// Warps pass the barrier of the block at two steps, which are not one in the source.
    fn met_at_different_barriers(&mut self, _first: Side, _other: Side) {}
    /// A warp reaches a step, which its lanes `active` execute; `registers` hold the results of the previous steps. Returns
    /// false to stop the block.
    fn step(&mut self, _position: u32, _step: &BoundStep, _warp: usize, _active: u32, _registers: &Registers) -> bool {
        true
    }
    /// The block ends or is stopped.
    fn end(&mut self, _registers: &Registers) {}
}

/// An observer that ignores all events, at no cost.
#[derive(Debug)]
pub(crate) struct Unobserved;

impl Observer for Unobserved {
    const ON: bool = false;

    fn new(_: &Program, _: &MemoryView) -> Self {
        Self
    }
}
