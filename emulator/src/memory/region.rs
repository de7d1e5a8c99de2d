//! Allocations of device memory, which the host and the blocks of a launch share.

use super::written::Written;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// The words of one allocation.
pub(super) type Words = Arc<[AtomicU32]>;

/// An allocation of device memory.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// The address of the first byte.
    pub(crate) base: u64,
    /// The requested size; the words may extend up to 3 bytes further.
    pub(crate) bytes: u64,
    /// The device in whose memory it is.
    pub(crate) device: u32,
    /// Whether it is constant memory, which only the host writes.
    pub(crate) constant: bool,
    /// The contents, little-endian.
    pub(crate) words: Words,
    /// The written bytes; `None` if writes are not tracked.
    pub(super) written: Option<Written>,
}

impl Region {
    /// Returns whether `bytes` bytes at `address` are inside the allocation.
    #[inline(always)]
    pub(crate) fn holds(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.bytes && bytes <= self.bytes - offset
    }

    /// Returns whether all of these bytes, which must be inside, have been written; true if writes are not tracked.
    pub(crate) fn is_written(&self, address: u64, bytes: u64) -> bool {
        self.written.as_ref().is_none_or(|written| written.holds(address - self.base, bytes))
    }

    /// Marks these bytes, which must be inside, as written.
    pub(crate) fn mark_written(&self, address: u64, bytes: u64) {
        if let Some(written) = &self.written {
            written.mark(address - self.base, bytes);
        }
    }
}
