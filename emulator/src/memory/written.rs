//! Which bytes of an allocation somebody wrote, host or kernel: what initcheck asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One bit a byte.
#[derive(Clone, Debug)]
pub(crate) struct Written(Arc<[AtomicU64]>);

impl Written {
    /// Nothing is written.
    pub(crate) fn none(bytes: u64) -> Self {
        Self((0..bytes.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Marks `bytes` bytes from `offset` on, all of which exist.
    pub(crate) fn mark(&self, offset: u64, bytes: u64) {
        for_words(offset, bytes, |word, mask| {
            self.0[word].fetch_or(mask, Relaxed);
            true
        });
    }

    /// Whether all of `bytes` bytes from `offset` on are written.
    pub(crate) fn holds(&self, offset: u64, bytes: u64) -> bool {
        for_words(offset, bytes, |word, mask| self.0[word].load(Relaxed) & mask == mask)
    }
}

/// Calls `act` with each word of bits of a range and the bits in it, as long as it answers yes; whether it always did.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_over_words_is_marked_whole_and_nothing_beside_it() {
        let written = Written::none(200);
        written.mark(60, 100);
        assert!(written.holds(60, 100) && written.holds(159, 1));
        assert!(!written.holds(59, 1) && !written.holds(160, 1) && !written.holds(0, 200));
    }
}
