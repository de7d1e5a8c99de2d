//! What the machine tells whoever observes a launch. Observers see events and cannot change what is computed.

use super::addresses::Addresses;
use super::bind::BoundStep;
use crate::ground::lanes::LANES;
use crate::ground::space::Space;
use crate::isa::memory::Strength;
use crate::memory::view::MemoryView;
use crate::vector::registers::Registers;

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessKind {
    Load,
    Store,
    /// `swaps` is set for compare-and-swap, which takes its two operands one after the other.
    Atomic {
        swaps: bool,
    },
    /// An asynchronous copy reads global memory.
    CopyFrom {
        bulk: bool,
    },
    /// An asynchronous copy is on its way into shared memory.
    CopyInto {
        bulk: bool,
    },
    /// A barrier in shared memory, which is begun or ended if `plain`.
    Barrier {
        plain: bool,
    },
}

/// What an asynchronous copy of one lane does once it lands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landing {
    /// Warp and lane that asked for it.
    pub(crate) warp: usize,
    pub(crate) lane: usize,
    /// The step that did.
    pub(crate) position: u32,
    /// Where it lands in shared memory.
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// Whether that lane waited for it; else a barrier tells of it.
    pub(crate) waited: bool,
}

/// Who arrives at a barrier in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arriving {
    /// Nobody whose accesses that orders.
    Nobody,
    /// A thread, by warp and lane.
    Thread(usize, usize),
    /// Copies that have landed.
    Copies,
}

/// A memory instruction of one warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    /// Never generic: each part of a generic access is an access of its own.
    pub(crate) space: Space,
    pub(crate) kind: AccessKind,
    pub(crate) strength: Strength,
    pub(crate) addresses: &'a Addresses<'a>,
    /// Warp in the block.
    pub(crate) warp: usize,
    /// The step.
    pub(crate) position: u32,
    /// What each lane stores, part by part, where a store is observed by [`Observer::EVERY_ACCESS`]; else empty.
    pub(crate) stored: &'a [[u64; LANES]],
}

/// What lanes do wrong at a step that goes on all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mistake {
    /// A barrier of the block that some lanes of a warp reach without the others.
    DivergentBarrier,
    /// A warp-level instruction whose mask leaves out a lane that executes it.
    MaskWithoutCaller,
    /// A shuffle that takes the value of a lane that takes no part.
    ShuffleFromInactive,
}

/// Sees what the machine does. The events of one worker come in order.
pub(crate) trait Observer: Send {
    /// Whether events are worth preparing.
    const ON: bool;
    /// Whether it needs every access by itself, with the values stored; else those of a fast path come summed up.
    const EVERY_ACCESS: bool = false;
    /// Whether it looks at each step by itself, and at the registers after it.
    const EVERY_STEP: bool = false;

    /// An observer for a kernel of this number of basic blocks, on a device with this memory.
    fn new(blocks: usize, device: &MemoryView) -> Self;
    /// A block begins: its number in the grid, and its warps.
    fn begin(&mut self, _block: u64, _warps: usize) {}
    /// Warps, with that many lanes in all, begin a basic block.
    fn enter(&mut self, block: u32, warps: u64, lanes: u64);
    /// A warp accesses memory.
    fn access(&mut self, access: &Access<'_>);
    /// Warps load aligned values of `bytes` bytes, every lane of a warp from one address.
    fn uniform_loads(&mut self, space: Space, warps: u64, bytes: u64);
    /// Warps come to a branch.
    fn branches(&mut self, warps: u64, divergent: u64);
    /// Warps reach a barrier.
    fn barriers(&mut self, warps: u64);
    /// Warps shuffle.
    fn shuffles(&mut self, warps: u64);
    /// Warps vote.
    fn votes(&mut self, _warps: u64) {}
    /// A barrier of the block lets its threads go.
    fn block_synchronised(&mut self) {}
    /// An instruction for the lanes `mask` of a warp lets them go; `alive` have not exited.
    fn warp_synchronised(&mut self, _warp: usize, _mask: u32, _alive: u32) {}
    /// The block at hand is put aside, for another that begins or is taken up.
    fn put_aside(&mut self, _block: u64) {}
    /// A block goes on that was put aside.
    fn take_up(&mut self, _block: u64) {}
    /// Somebody arrives at the barrier at this byte of shared memory, and may end its phase.
    fn arrives(&mut self, _barrier: u64, _by: Arriving, _ends: bool) {}
    /// A thread learns that the phase is over that it waits for.
    fn passes(&mut self, _barrier: u64, _warp: usize, _lane: usize) {}
    /// An asynchronous copy lands in shared memory.
    fn landed(&mut self, _landing: &Landing) {}
    /// A warp orders its accesses for the whole device.
    fn fenced(&mut self, _warp: usize) {}
    /// Lanes of a warp do something wrong at a step that goes on all the same.
    fn mistaken(&mut self, _kind: Mistake, _warp: usize, _lanes: u32, _position: u32) {}
    /// Parts of a warp execute one warp-level instruction at two steps, each with its position and lanes.
    fn met_apart(&mut self, _warp: usize, _first: (u32, u32), _other: (u32, u32)) {}
    /// A warp comes to a step, of which `active` lanes execute it; `registers` are as the steps before left them. False
    /// ends the block here.
    fn step(&mut self, _position: u32, _step: &BoundStep, _warp: usize, _active: u32, _registers: &Registers) -> bool {
        true
    }
    /// The block ends, or is ended.
    fn end(&mut self, _registers: &Registers) {}
}

/// Sees nothing, at no cost.
#[derive(Debug)]
pub(crate) struct Blind;

impl Observer for Blind {
    const ON: bool = false;

    fn new(_: usize, _: &MemoryView) -> Self {
        Self
    }
    #[inline(always)]
    fn enter(&mut self, _: u32, _: u64, _: u64) {}
    #[inline(always)]
    fn access(&mut self, _: &Access<'_>) {}
    #[inline(always)]
    fn uniform_loads(&mut self, _: Space, _: u64, _: u64) {}
    #[inline(always)]
    fn branches(&mut self, _: u64, _: u64) {}
    #[inline(always)]
    fn barriers(&mut self, _: u64) {}
    #[inline(always)]
    fn shuffles(&mut self, _: u64) {}
}
