//! Loads with cache hints.

use crate::{ArrayIndex, Float2, Float4, Global, Int4, UInt2, target};

/// A type that one load instruction reads.
///
/// # Safety
/// The type has 4, 8 or 16 bytes, is aligned to its size, and is valid for every bit pattern.
pub unsafe trait Loaded: Copy {}

// SAFETY: one word.
unsafe impl Loaded for u32 {}
// SAFETY: one word.
unsafe impl Loaded for i32 {}
// SAFETY: one word.
unsafe impl Loaded for f32 {}
// SAFETY: two words, aligned.
unsafe impl Loaded for Float2 {}
// SAFETY: two words, aligned.
unsafe impl Loaded for UInt2 {}
// SAFETY: four words, aligned.
unsafe impl Loaded for Float4 {}
// SAFETY: four words, aligned.
unsafe impl Loaded for Int4 {}

/// Loads a value from global memory that is read only once, so that the caches evict it first: CUDA's `__ldcs`, PTX's
/// `ld.global.cs`.
#[inline(always)]
#[must_use]
pub fn load_streaming<T: Loaded>(value: &T) -> T {
    // SAFETY: the reference is valid, and `Loaded` guarantees the size and alignment.
    unsafe { target::load_streaming(value) }
}

impl<T: Loaded> Global<T> {
    /// Loads an element from the L2 cache, which has the stores of all multiprocessors; the L1 cache of this one may have an
    /// older value. CUDA's `__ldcg`, PTX's `ld.global.cg`.
    #[inline(always)]
    #[must_use]
    pub fn get_from_l2(self, index: impl ArrayIndex) -> T {
        // SAFETY: the index is in bounds, the caller of `new` guarantees the elements, and `Loaded` their size.
        unsafe { target::load_from_l2(self.element(index)) }
    }

    /// Loads the present value of an element, even if it was read before, for a thread that waits for another thread's store:
    /// CUDA's `volatile`, PTX's `ld.volatile.global`.
    #[inline(always)]
    #[must_use]
    pub fn get_volatile(self, index: impl ArrayIndex) -> T {
        // SAFETY: the index is in bounds, and the caller of `new` guarantees the elements.
        unsafe { self.element(index).read_volatile() }
    }
}

#[cfg(test)]
mod tests {
    use super::load_streaming;
    use crate::{Float4, Global, UInt2};

    #[test]
    fn hints_change_no_value() {
        let vector = Float4::new(1.0, 2.0, 3.0, 4.0);
        assert_eq!(load_streaming(&vector), vector);
        let mut values = [UInt2::new(1, 2), UInt2::new(3, 4)];
        // SAFETY: there is one thread.
        let array = unsafe { Global::new(values.as_mut_ptr(), values.len()) };
        assert_eq!((array.get_from_l2(1), array.get_volatile(0)), (UInt2::new(3, 4), UInt2::new(1, 2)));
    }
}
