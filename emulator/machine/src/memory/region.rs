//! Allocations of device memory, which the host and the blocks of a launch share.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The device of a region in host memory, which the kernels of all devices access.
pub(crate) const HOST: u32 = u32::MAX;

/// The smallest number of unmapped bytes between two allocations.
pub(super) const GAP_BYTES: u64 = 4096;

/// The initial value of memory, a NaN as `f32`. Hardware does not clear memory, either.
pub(super) const UNWRITTEN: u32 = 0xFFFF_FFFF;

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

    /// Returns whether nobody else uses them.
    pub(super) fn are_unshared(&self) -> bool {
        Arc::strong_count(&self.all) == 1
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
    /// Whether these are still those of a freed allocation: most allocations are overwritten as a whole before they are read.
    pub(super) stale: bool,
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

    /// Makes stale words unwritten, and returns the region.
    pub(super) fn refresh(&mut self) -> &Self {
        if std::mem::take(&mut self.stale) {
            self.own_words().into_iter().flatten().for_each(|word| *word.get_mut() = UNWRITTEN);
        }
        self
    }

    /// Prepares for [`Self::write`] to all of these bytes, which must be inside.
    pub(super) fn start_write(&mut self, address: u64, bytes: u64) {
        self.stale &= bytes < self.bytes;
        self.refresh();
        self.mark_written(address, bytes);
    }

    /// Copies the bytes at `address`, which must be inside, into `target`.
    pub(super) fn read(&mut self, address: u64, target: &mut [u8]) {
        self.refresh();
        let offset = (address - self.base) as usize;
        let (head, rest) = target.split_at_mut(target.len().min(offset.next_multiple_of(4) - offset));
        let (whole, tail) = rest.as_chunks_mut();
        let first = offset.div_ceil(4);
        if !head.is_empty() {
            head.copy_from_slice(&bytes_of(&self.words[offset / 4])[offset % 4..][..head.len()]);
        }
        if !tail.is_empty() {
            tail.copy_from_slice(&bytes_of(&self.words[first + whole.len()])[..tail.len()]);
        }
        match self.own_words() {
            Some(own) => {
                whole.iter_mut().zip(&mut own[first..]).for_each(|(to, word)| *to = word.get_mut().to_le_bytes())
            }
            None => whole.iter_mut().zip(&self.words[first..]).for_each(|(to, word)| *to = bytes_of(word)),
        }
    }

    /// Writes bytes at `address`, which must be inside.
    pub(super) fn write(&mut self, address: u64, source: &[u8]) {
        let offset = (address - self.base) as usize;
        let (head, rest) = source.split_at(source.len().min(offset.next_multiple_of(4) - offset));
        let (whole, tail) = rest.as_chunks();
        let first = offset.div_ceil(4);
        if !head.is_empty() {
            write_part(&self.words[offset / 4], offset % 4, head);
        }
        if !tail.is_empty() {
            write_part(&self.words[first + whole.len()], 0, tail);
        }
        let value = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
        match self.own_words() {
            Some(own) => own[first..].iter_mut().zip(whole).for_each(|(word, from)| *word.get_mut() = value(from)),
            None => self.words[first..].iter().zip(whole).for_each(|(word, from)| word.store(value(from), Relaxed)),
        }
    }

    /// Returns the words of device memory that no kernel uses, whose copies need no atomics: those take several times as long.
    fn own_words(&mut self) -> Option<&mut [AtomicU32]> {
        Arc::get_mut(&mut self.words.all).filter(|_| self.device != HOST)
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

/// Returns the bytes of a word.
fn bytes_of(word: &AtomicU32) -> [u8; 4] {
    word.load(Relaxed).to_le_bytes()
}

/// Replaces the bytes of a word from byte `start` (0 to 3) on with `part`, without those that other threads may write.
fn write_part(word: &AtomicU32, start: usize, part: &[u8]) {
    let (mut value, mut mask) = ([0; 4], [0; 4]);
    value[start..start + part.len()].copy_from_slice(part);
    mask[start..start + part.len()].fill(0xFF);
    word.fetch_and(!u32::from_le_bytes(mask), Relaxed);
    word.fetch_or(u32::from_le_bytes(value), Relaxed);
}
