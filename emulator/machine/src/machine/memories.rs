//! The memories that a block accesses: its shared and local memory, and device memory.

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
