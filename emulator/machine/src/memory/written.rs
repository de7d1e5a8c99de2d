//! The bytes of an allocation that host or kernels have written, for initcheck.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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
