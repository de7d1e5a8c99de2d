//! Loads that say where in the caches their data may stay.

use crate::{ArrayIndex, Float2, Float4, Global, Int4, UInt2, target};

/// A value that one load reads.
///
/// # Safety
/// It has 4, 8 or 16 bytes, is aligned to as many, and may have any bits.
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

/// A value in global memory that is read once: what the caches drop first. CUDA's `__ldcs`, PTX's `ld.global.cs`.
#[inline(always)]
#[must_use]
pub fn load_streaming<T: Loaded>(value: &T) -> T {
    // SAFETY: a value that one load reads.
    unsafe { target::load_streaming(value) }
}

impl<T: Loaded> Global<T> {
    /// An element as L2 has it, where the stores of all multiprocessors are; the L1 of this one may still have an older
    /// value. CUDA's `__ldcg`, PTX's `ld.global.cg`.
    #[inline(always)]
    #[must_use]
    pub fn get_from_l2(self, index: impl ArrayIndex) -> T {
        // SAFETY: in bounds of what `new` was promised, and a value that one load reads.
        unsafe { target::load_from_l2(self.element(index)) }
    }

    /// An element as it is now, however often it was read before: for a thread that waits for another's store. CUDA's
    /// `volatile`, PTX's `ld.volatile.global`.
    #[inline(always)]
    #[must_use]
    pub fn get_volatile(self, index: impl ArrayIndex) -> T {
        // SAFETY: in bounds of what `new` was promised.
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
