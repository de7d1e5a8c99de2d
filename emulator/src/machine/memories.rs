//! The memories that a block accesses: its own, and the device's.

use super::bind::Bound;
use crate::ground::lanes::LANES;
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;

/// What fresh shared and local memory holds: hardware does not clear it.
const UNWRITTEN: u32 = 0xFFFF_FFFF;

/// The words of a block's own memories, and the allocations of the device.
pub(super) struct Memories<'a> {
    pub(super) shared: Vec<u32>,
    /// Of all threads, one after the other.
    pub(super) local: Vec<u32>,
    pub(super) view: MemoryView,
    pub(super) device: &'a Memory,
}

impl<'a> Memories<'a> {
    pub(super) fn new(bound: &Bound<'_>, view: MemoryView, device: &'a Memory) -> Self {
        let threads = bound.warps * LANES;
        let local_words = bound.program.local_bytes.div_ceil(4) as usize;
        Self {
            shared: vec![UNWRITTEN; bound.shared_bytes().div_ceil(4)],
            local: vec![UNWRITTEN; threads * local_words],
            view,
            device,
        }
    }

    /// Begins a block.
    pub(super) fn reset(&mut self) {
        self.shared.fill(UNWRITTEN);
        self.local.fill(UNWRITTEN);
    }
}
