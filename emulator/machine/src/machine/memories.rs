//! The state of a block besides its registers: its shared and local memory, with the allocations of the device, the threads that
//! have arrived at its barriers, and the operands of matrices that its warps collect.

use super::bind::Bound;
use crate::ground::lanes::WARP_SIZE;
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;

/// The initial value of shared and local memory, which hardware does not clear.
const UNWRITTEN: u32 = 0xFFFF_FFFF;

/// The words of shared and local memory of a block, and the allocations of the device.
pub(super) struct Memories<'a> {
    pub(super) shared: Vec<u32>,
    /// The local memory of all threads, one after the other.
    pub(super) local: Vec<u32>,
    pub(super) view: MemoryView,
    pub(super) device: &'a Memory,
    /// Whether this block has changed device memory since the last report of its progress.
    pub(super) changed: bool,
}

impl<'a> Memories<'a> {
    pub(super) fn new(bound: &Bound<'_>, view: MemoryView, device: &'a Memory) -> Self {
        let mut memories = Self { shared: Vec::new(), local: Vec::new(), view, device, changed: false };
        memories.make(bound);
        memories
    }

    /// Allocates shared and local memory of a block.
    pub(super) fn make(&mut self, bound: &Bound<'_>) {
        let local_words = bound.program.local_bytes.div_ceil(4) as usize;
        self.shared = vec![UNWRITTEN; bound.shared_bytes().div_ceil(4)];
        self.local = vec![UNWRITTEN; bound.warps * WARP_SIZE * local_words];
    }

    /// Resets shared and local memory for a new block.
    pub(super) fn reset(&mut self) {
        self.shared.fill(UNWRITTEN);
        self.local.fill(UNWRITTEN);
    }
}

/// The barriers of a block.
const BARRIERS: usize = 16;

/// The number of arrived threads, by barrier. Arrivals at barriers that a block does not have are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrivals([u32; BARRIERS]);

impl Arrivals {
    /// Adds `threads` arrivals at barrier `number`.
    pub(super) fn add(&mut self, number: u32, threads: u32) {
        if let Some(count) = self.0.get_mut(number as usize) {
            *count = count.saturating_add(threads);
        }
    }

    /// Returns the number of threads that have arrived at barrier `number` since it was last cleared.
    pub(super) fn at(&self, number: u32) -> u32 {
        self.0.get(number as usize).copied().unwrap_or(0)
    }

    /// Resets barrier `number`.
    pub(super) fn clear(&mut self, number: u32) {
        if let Some(count) = self.0.get_mut(number as usize) {
            *count = 0;
        }
    }
}

/// The lanes of a warp at the barrier of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AtCluster {
    /// Arrivals in the current phase.
    pub(super) arrived: u32,
    /// Arrivals in the phase before, which is complete, that have not waited.
    pub(super) released: u32,
}

/// The registers collected by the lanes of one warp, as far as an instruction has used them. A 64-bit register takes two, the low
/// half first.
pub(super) type MatrixOperands = Vec<[u32; WARP_SIZE]>;

/// The registers of D of the lanes of a warp in a product of its warpgroup, as far as an instruction has used them.
pub(super) type Sums = Vec<[u32; WARP_SIZE]>;
