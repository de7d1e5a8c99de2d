//! Loops over the lanes of a row. LLVM does not vectorize some of them for WebAssembly, where they are written out.

use crate::WARP_SIZE;
#[cfg(target_family = "wasm")]
use std::arch::wasm32 as vector;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The type of the lanes of a register.
pub trait Lane: Copy {
    /// Writes a value to all lanes of a row.
    fn fill(row: &mut [Self; WARP_SIZE], value: Self);

    /// Returns whether the lanes `mask` of a row, of which there is at least one, are equal.
    fn are_equal(row: &[Self; WARP_SIZE], mask: u32) -> bool;

    /// Returns whether the lanes `mask` of a row, of which there is at least one, have the same values as a row that increases
    /// by `1 << shift` from each lane to the next, and wraps around.
    fn are_consecutive(row: &[Self; WARP_SIZE], mask: u32, shift: u32) -> bool;
}

/// Returns a word with all bits set if a lane is in a mask, or else 0.
#[inline(always)]
#[must_use]
pub fn select(mask: u32, lane: usize) -> u32 {
    // WebAssembly has no vectors whose elements are shifted by different counts. With a table, AVX2 takes more instructions.
    let is_active = if cfg!(target_family = "wasm") { mask & BITS[lane] != 0 } else { mask >> lane & 1 != 0 };
    u32::from(is_active).wrapping_neg()
}

/// Returns a double word with all bits set if a lane is in a mask, or else 0.
#[inline(always)]
#[must_use]
pub fn select_wide(mask: u32, lane: usize) -> u64 {
    i64::from(select(mask, lane).cast_signed()).cast_unsigned()
}

/// The bit of each lane in a mask.
static BITS: [u32; WARP_SIZE] = {
    let mut bits = [1; WARP_SIZE];
    let mut lane = 1;
    while lane < WARP_SIZE {
        bits[lane] = bits[lane - 1] << 1;
        lane += 1;
    }
    bits
};

/// Returns the lowest lane of a mask.
#[inline(always)]
fn lowest(mask: u32) -> usize {
    (mask.trailing_zeros() as usize).min(WARP_SIZE - 1)
}

/// Implements [`Lane`] for a type.
macro_rules! lane {
    ($type:ident, $select:ident) => {
        impl Lane for $type {
            #[inline(always)]
            fn fill(row: &mut [Self; WARP_SIZE], value: Self) {
                #[cfg(target_family = "wasm")]
                $type::fill_vectors(row, value);
                #[cfg(not(target_family = "wasm"))]
                {
                    *row = [value; WARP_SIZE];
                }
            }

            #[inline(always)]
            fn are_equal(row: &[Self; WARP_SIZE], mask: u32) -> bool {
                let value = row[lowest(mask)];
                #[cfg(target_family = "wasm")]
                if mask == u32::MAX {
                    return $type::is_sequence(row, value, 0);
                }
                let mut differences = 0;
                for (lane, &other) in row.iter().enumerate() {
                    let active = if mask == u32::MAX { Self::MAX } else { $select(mask, lane) };
                    differences |= (other ^ value) & active;
                }
                differences == 0
            }

            #[inline(always)]
            fn are_consecutive(row: &[Self; WARP_SIZE], mask: u32, shift: u32) -> bool {
                let lowest = lowest(mask);
                let start = row[lowest].wrapping_sub((lowest as Self) << shift);
                #[cfg(target_family = "wasm")]
                if mask == u32::MAX {
                    return $type::is_sequence(row, start, 1 << shift);
                }
                let mut differences = 0;
                for (lane, &value) in row.iter().enumerate() {
                    let active = if mask == u32::MAX { Self::MAX } else { $select(mask, lane) };
                    differences |= (value ^ start.wrapping_add((lane as Self) << shift)) & active;
                }
                differences == 0
            }
        }
    };
}

lane!(u32, select);
lane!(u64, select_wide);

/// Copies words of a block's memory to a row.
#[inline(always)]
pub fn load_cells(row: &mut [u32; WARP_SIZE], words: &[Cell<u32>; WARP_SIZE]) {
    #[cfg(target_family = "wasm")]
    // SAFETY: both have 32 words, and a cell has the representation of its contents.
    unsafe {
        copy(words.as_ptr().cast(), row.as_mut_ptr());
    }
    #[cfg(not(target_family = "wasm"))]
    {
        *row = std::array::from_fn(|lane| words[lane].get());
    }
}

/// Loads words of device memory to a row.
#[inline(always)]
pub fn load_atomics(row: &mut [u32; WARP_SIZE], words: &[AtomicU32; WARP_SIZE]) {
    if IS_SINGLE_THREADED {
        // SAFETY: both have 32 words, and no other thread accesses them.
        #[cfg(target_family = "wasm")]
        unsafe {
            copy(words.as_ptr().cast(), row.as_mut_ptr());
        }
    } else {
        *row = std::array::from_fn(|lane| words[lane].load(Relaxed));
    }
}

/// Stores a row to words of device memory.
#[inline(always)]
pub fn store_atomics(row: &[u32; WARP_SIZE], words: &[AtomicU32; WARP_SIZE]) {
    if IS_SINGLE_THREADED {
        // SAFETY: both have 32 words, atomics may be written through shared references, and no other thread accesses them.
        #[cfg(target_family = "wasm")]
        unsafe {
            copy(row.as_ptr(), words.as_ptr().cast_mut().cast());
        }
    } else {
        (0..WARP_SIZE).for_each(|lane| words[lane].store(row[lane], Relaxed));
    }
}

/// Whether the target has one thread: atomics are plain words.
const IS_SINGLE_THREADED: bool = cfg!(all(target_family = "wasm", not(target_feature = "atomics")));

/// Copies 32 words by vectors. Engines call a function for the instruction that copies memory.
///
/// # Safety
/// Both pointers must be valid for 32 words, which do not overlap.
#[cfg(target_family = "wasm")]
#[inline(always)]
unsafe fn copy(from: *const u32, to: *mut u32) {
    let from = from.cast::<vector::v128>();
    let to = to.cast::<vector::v128>();
    for index in 0..WARP_SIZE / 4 {
        // SAFETY: the caller promises 32 words.
        unsafe { vector::v128_store(to.add(index), vector::v128_load(from.add(index))) }
    }
}

/// Loops with the vectors of WebAssembly.
#[cfg(target_family = "wasm")]
trait Vectors: Sized {
    fn fill_vectors(row: &mut [Self; WARP_SIZE], value: Self);

    /// Returns whether the lanes are `start`, `start + step`, `start + 2 * step`, …, which wrap around.
    fn is_sequence(row: &[Self; WARP_SIZE], start: Self, step: Self) -> bool;
}

/// Implements [`Vectors`] with the functions for the vectors of a type.
#[cfg(target_family = "wasm")]
macro_rules! vectors {
    ($type:ident, $count:literal, $splat:ident, $add:ident) => {
        impl Vectors for $type {
            #[inline(always)]
            fn fill_vectors(row: &mut [Self; WARP_SIZE], value: Self) {
                for chunk in row.as_chunks_mut::<$count>().0 {
                    // SAFETY: the chunk has the 16 bytes of a vector.
                    unsafe { vector::v128_store(chunk.as_mut_ptr().cast(), vector::$splat(value)) }
                }
            }

            #[inline(always)]
            fn is_sequence(row: &[Self; WARP_SIZE], start: Self, step: Self) -> bool {
                let first: [Self; $count] =
                    std::array::from_fn(|lane| start.wrapping_add(step.wrapping_mul(lane as Self)));
                // SAFETY: the array has the 16 bytes of a vector.
                let mut expected = unsafe { vector::v128_load(first.as_ptr().cast()) };
                let mut differences = vector::$splat(0);
                for chunk in row.as_chunks::<$count>().0 {
                    // SAFETY: the chunk has the 16 bytes of a vector.
                    let values = unsafe { vector::v128_load(chunk.as_ptr().cast()) };
                    differences = vector::v128_or(differences, vector::v128_xor(values, expected));
                    expected = vector::$add(expected, vector::$splat(step.wrapping_mul($count)));
                }
                !vector::v128_any_true(differences)
            }
        }
    };
}

#[cfg(target_family = "wasm")]
vectors!(u32, 4, u32x4_splat, u32x4_add);
#[cfg(target_family = "wasm")]
vectors!(u64, 2, u64x2_splat, u64x2_add);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filled_row_is_equal_and_not_consecutive() {
        let mut row = [0_u32; WARP_SIZE];
        Lane::fill(&mut row, 7);
        assert_eq!(row, [7; WARP_SIZE]);
        assert!(Lane::are_equal(&row, u32::MAX));
        assert!(!Lane::are_consecutive(&row, u32::MAX, 0));
        assert!(Lane::are_consecutive(&row, 1 << 31, 2));
    }

    #[test]
    fn each_active_lane_of_a_consecutive_row_counts() {
        let mut row: [u64; WARP_SIZE] = std::array::from_fn(|lane| (8 * lane as u64).wrapping_sub(16));
        for mask in [u32::MAX, 0x7FFF_FFF8, 0x8421_0007] {
            assert!(Lane::are_consecutive(&row, mask, 3));
            for lane in 0..WARP_SIZE {
                row[lane] ^= 1 << 40;
                let counts = mask >> lane & 1 != 0;
                assert_eq!(Lane::are_consecutive(&row, mask, 3), !counts, "lane {lane} of {mask:#x}");
                row[lane] ^= 1 << 40;
            }
        }
    }
}
