//! Allocations of device memory, which the host and the blocks of a launch share.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The device of a region in host memory, which the kernels of all devices access.
pub(crate) const HOST: u32 = u32::MAX;

/// The smallest number of unmapped bytes between two allocations.
pub(super) const GAP_BYTES: u64 = 4096;

/// The words of one allocation. Those of host memory begin at a page, to which Rust aligns no shared slice.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    all: Arc<[AtomicU32]>,
    /// The number of words before the first.
    skipped: usize,
}

impl Words {
    /// Returns `count` words with the same value.
    pub(super) fn new(count: u64, value: u32) -> Self {
        Self { all: (0..count).map(|_| AtomicU32::new(value)).collect(), skipped: 0 }
    }

    /// Returns `count` zeroed words, the first at an address that is a multiple of `align_bytes`, a multiple of 4, and that
    /// address. Its provenance is exposed.
    pub(super) fn aligned(count: u64, align_bytes: usize) -> (Self, u64) {
        let Self { all, .. } = Self::new(count + align_bytes as u64 / 4, 0);
        let address = all.as_ptr().expose_provenance();
        let skipped = (address.next_multiple_of(align_bytes) - address) / 4;
        (Self { all, skipped }, (address + 4 * skipped) as u64)
    }
}

impl Deref for Words {
    type Target = [AtomicU32];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU32] {
        &self.all[self.skipped..]
    }
}

/// An allocation of device memory.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// The address of the first byte.
    pub(crate) base: u64,
    /// The requested size; the words may extend up to 3 bytes further.
    pub(crate) bytes: u64,
    /// The device in whose memory it is, or [`HOST`].
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

    /// Copies the bytes at `address`, which must be inside, into `target`.
    pub(super) fn read(&self, address: u64, target: &mut [u8]) {
        let mut offset = (address - self.base) as usize;
        let mut rest = target;
        while !rest.is_empty() {
            let length = rest.len().min(4 - offset % 4);
            let (chunk, tail) = rest.split_at_mut(length);
            let word = self.words[offset / 4].load(Relaxed).to_le_bytes();
            chunk.copy_from_slice(&word[offset % 4..offset % 4 + length]);
            offset += length;
            rest = tail;
        }
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

/// The written bytes of an allocation, one bit per byte.
#[derive(Clone, Debug)]
pub(crate) struct Written(Arc<[AtomicU64]>);

impl Written {
    /// Returns the state of an allocation of `bytes` bytes in which no byte is written.
    pub(crate) fn none(bytes: u64) -> Self {
        Self((0..bytes.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Marks `bytes` bytes from `offset` on, which must be inside, as written.
    pub(crate) fn mark(&self, offset: u64, bytes: u64) {
        for_words(offset, bytes, |word, mask| {
            self.0[word].fetch_or(mask, Relaxed);
            true
        });
    }

    /// Returns whether all of the `bytes` bytes from `offset` on are written.
    pub(crate) fn holds(&self, offset: u64, bytes: u64) -> bool {
        for_words(offset, bytes, |word, mask| self.0[word].load(Relaxed) & mask == mask)
    }
}

/// Calls `act` with the index of each word of bits of a range and the mask of the range's bits in it, until it returns false.
/// Returns whether it never did.
fn for_words(offset: u64, bytes: u64, mut act: impl FnMut(usize, u64) -> bool) -> bool {
    let end = offset + bytes;
    let mut at = offset;
    while at < end {
        let first = at % 64;
        let count = (64 - first).min(end - at);
        let mask = u64::MAX >> (64 - count) << first;
        if !act((at / 64) as usize, mask) {
            return false;
        }
        at += count;
    }
    true
}
