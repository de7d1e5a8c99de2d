//! The heap of a device: its capacity, and the allocation of blocks.

use super::device::Memory;
use super::heap::{lock, taken_bytes};

impl Memory {
    /// Returns the capacity of the heap for `malloc` in kernels, in bytes.
    #[must_use]
    pub fn heap_capacity(&self) -> u64 {
        lock(&self.heap).capacity
    }

    /// Sets the capacity of the heap for `malloc` in kernels, in bytes.
    pub fn set_heap_capacity(&self, bytes: u64) {
        lock(&self.heap).capacity = bytes;
    }

    /// Allocates a block of the heap for a kernel, whose bytes count as written unless `checked`. Returns `None` if the heap is
    /// full.
    pub(crate) fn allocate_block(&self, bytes: u64, checked: bool) -> Option<u64> {
        let mut heap = lock(&self.heap);
        if bytes > heap.capacity || taken_bytes(bytes) > heap.capacity.saturating_sub(heap.used) {
            return None;
        }
        let block = self.new_block(bytes, checked)?;
        let base = block.base;
        heap.used += taken_bytes(bytes);
        heap.blocks.insert(base, block);
        Some(base)
    }

    /// Marks all blocks as written.
    pub(super) fn mark_blocks_written(&self) {
        lock(&self.heap).blocks.values().for_each(|block| block.mark_written(block.base, block.bytes));
    }

    /// Returns the byte at an address of an allocation or of a block of the heap.
    pub(crate) fn byte(&self, address: u64) -> Option<u8> {
        let mut byte = [0];
        if self.read(address, &mut byte).is_err() {
            lock(&self.heap).find(address, 1)?.clone().read(address, &mut byte);
        }
        Some(byte[0])
    }
}
