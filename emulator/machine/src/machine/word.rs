//! Words of memory: atomics in device memory, plain words in the shared and local memory of a block.

use crate::ground::lanes::WARP_SIZE;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Four bytes of memory, little-endian.
pub(super) trait Word {
    fn get(&self) -> u32;
}

/// A word that can be written through a shared reference.
pub(super) trait WriteWord: Word + Sized {
    fn set(&self, value: u32);

    /// Loads a row.
    fn load(words: &[Self; WARP_SIZE], row: &mut [u32; WARP_SIZE]);

    /// Stores a row.
    fn store(words: &[Self; WARP_SIZE], row: &[u32; WARP_SIZE]);

    /// Atomically replaces the word with `function` of it and returns the old value.
    fn update(&self, function: impl Fn(u32) -> u32) -> u32;
}

impl Word for u32 {
    #[inline(always)]
    fn get(&self) -> u32 {
        *self
    }
}

impl Word for Cell<u32> {
    #[inline(always)]
    fn get(&self) -> u32 {
        self.get()
    }
}

impl WriteWord for Cell<u32> {
    #[inline(always)]
    fn set(&self, value: u32) {
        self.set(value);
    }

    #[inline(always)]
    fn load(words: &[Self; WARP_SIZE], row: &mut [u32; WARP_SIZE]) {
        simd::load_cells(row, words);
    }

    #[inline(always)]
    fn store(words: &[Self; WARP_SIZE], row: &[u32; WARP_SIZE]) {
        (0..WARP_SIZE).for_each(|lane| words[lane].set(row[lane]));
    }

    #[inline(always)]
    fn update(&self, function: impl Fn(u32) -> u32) -> u32 {
        self.replace(function(self.get()))
    }
}

impl Word for AtomicU32 {
    #[inline(always)]
    fn get(&self) -> u32 {
        self.load(Relaxed)
    }
}

impl WriteWord for AtomicU32 {
    #[inline(always)]
    fn set(&self, value: u32) {
        self.store(value, Relaxed);
    }

    #[inline(always)]
    fn load(words: &[Self; WARP_SIZE], row: &mut [u32; WARP_SIZE]) {
        simd::load_atomics(row, words);
    }

    #[inline(always)]
    fn store(words: &[Self; WARP_SIZE], row: &[u32; WARP_SIZE]) {
        simd::store_atomics(row, words);
    }

    #[inline(always)]
    fn update(&self, function: impl Fn(u32) -> u32) -> u32 {
        // The closure always returns a value, so both variants hold the old value.
        match self.fetch_update(Relaxed, Relaxed, |word| Some(function(word))) {
            Ok(old) | Err(old) => old,
        }
    }
}

/// Returns the words of a block's memory as cells, which can be written through a shared reference.
#[inline(always)]
pub(super) fn cells(words: &mut [u32]) -> &[Cell<u32>] {
    Cell::from_mut(words).as_slice_of_cells()
}

/// Returns the mask of a value of 1, 2 or 4 bytes in its word, and the shift of its lowest bit.
#[inline(always)]
fn field(offset: usize, bytes: u8) -> (u32, u32) {
    let shift = 8 * (offset % 4) as u32;
    ((u32::MAX >> (32 - 8 * u32::from(bytes))) << shift, shift)
}

/// Reads 1, 2, 4 or 8 aligned bytes.
#[inline(always)]
pub(super) fn read<W: Word>(words: &[W], offset: usize, bytes: u8) -> u64 {
    let word = words[offset / 4].get();
    match bytes {
        4 => u64::from(word),
        8 => u64::from(words[offset / 4 + 1].get()) << 32 | u64::from(word),
        _ => {
            let (mask, shift) = field(offset, bytes);
            u64::from((word & mask) >> shift)
        }
    }
}

/// Writes 1, 2, 4 or 8 aligned bytes.
#[inline(always)]
pub(super) fn write<W: WriteWord>(words: &[W], offset: usize, bytes: u8, value: u64) {
    match bytes {
        4 => words[offset / 4].set(value as u32),
        8 => {
            words[offset / 4].set(value as u32);
            words[offset / 4 + 1].set((value >> 32) as u32);
        }
        _ => {
            update(words, offset, bytes, |_| value);
        }
    }
}

/// Atomically replaces an aligned value of 1, 2 or 4 bytes with `function` of it and returns the old value.
#[inline(always)]
pub(super) fn update<W: WriteWord>(words: &[W], offset: usize, bytes: u8, function: impl Fn(u64) -> u64) -> u64 {
    let (mask, shift) = field(offset, bytes);
    let old = words[offset / 4].update(|word| {
        let value = function(u64::from((word & mask) >> shift)) as u32;
        (word & !mask) | (value << shift & mask)
    });
    u64::from((old & mask) >> shift)
}
