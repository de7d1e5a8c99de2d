//! The heap of a device: memory that kernels allocate with `malloc` and free with `free`.
//!
//! Each block of it is an allocation of its own, at an address that no other one ever has, so an access past its end or
//! after `free` does not reach another block. The host cannot access blocks, as with CUDA.

use super::region::{GAP_BYTES, Region};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The initial capacity of a heap in bytes, CUDA's documented default.
pub const HEAP_BYTES: u64 = 8 << 20;

/// The alignment of blocks in bytes, which CUDA guarantees. Their sizes are rounded up to it.
pub(super) const BLOCK_ALIGNMENT: u64 = 16;

/// The number of freed blocks that the messages of faults can name.
const FREED_BLOCKS: usize = 1024;

/// The heap of a device.
#[derive(Debug)]
pub(crate) struct Heap {
    pub(super) blocks: BTreeMap<u64, Region>,
    /// Base and size of the blocks that were freed last.
    freed: VecDeque<(u64, u64)>,
    pub(super) capacity: u64,
    pub(super) used: u64,
}

/// The heap of a device, which its views share.
pub(crate) type SharedHeap = Arc<Mutex<Heap>>;

/// Locks a heap.
pub(super) fn lock(heap: &SharedHeap) -> MutexGuard<'_, Heap> {
    heap.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the bytes that a block of `bytes` bytes takes of the capacity.
pub(super) fn taken_bytes(bytes: u64) -> u64 {
    bytes.max(1).next_multiple_of(BLOCK_ALIGNMENT)
}

impl Default for Heap {
    fn default() -> Self {
        Self { blocks: BTreeMap::new(), freed: VecDeque::new(), capacity: HEAP_BYTES, used: 0 }
    }
}

impl Heap {
    /// Returns the block that contains `bytes` bytes at `address`.
    pub(super) fn find(&self, address: u64, bytes: u64) -> Option<&Region> {
        let (_, below) = self.blocks.range(..=address).next_back()?;
        below.holds(address, bytes).then_some(below)
    }

    /// Frees the block that starts at `address`. Fails with the reason if none does.
    pub(super) fn free(&mut self, address: u64) -> Result<(), String> {
        let Some(block) = self.blocks.remove(&address) else {
            let place = self.describe(address).unwrap_or_else(|| "which `malloc` has not returned".to_owned());
            return Err(format!("`free` of {address:#x}, {place}"));
        };
        self.used -= taken_bytes(block.bytes);
        if self.freed.len() == FREED_BLOCKS {
            self.freed.pop_front();
        }
        self.freed.push_back((address, block.bytes));
        Ok(())
    }

    /// Describes the location of `address` relative to the nearest block, if one is near.
    pub(super) fn describe(&self, address: u64) -> Option<String> {
        let holds = |&&(base, bytes): &&(u64, u64)| address.wrapping_sub(base) < bytes.max(1);
        if let Some((base, bytes)) = self.freed.iter().find(holds) {
            return Some(format!("at byte {} of a block of {bytes} bytes that was freed before", address - base));
        }
        let (_, block) = self.blocks.range(..=address).next_back()?;
        let past = address - block.base;
        let bytes = block.bytes;
        match past.checked_sub(bytes) {
            None => Some(format!("at byte {past} of a block of {bytes} bytes that `malloc` returned")),
            Some(0) => Some(format!("just past the end of a block of {bytes} bytes that `malloc` returned")),
            Some(past) if past < GAP_BYTES => {
                Some(format!("{past} bytes past the end of a block of {bytes} bytes that `malloc` returned"))
            }
            _ => None,
        }
    }
}
