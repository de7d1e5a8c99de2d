//! Atomic operations on an element that several threads change.
//!
//! They do not order other accesses: other threads see a thread's stores to other elements only after a barrier or a
//! [`thread_fence`](crate::thread_fence). If the previous value is not used, the GPU does not return it (`red` instead of
//! `atom`).

use crate::{ArrayIndex, Float4, Global, Shared, target};
use core::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};

/// Implements the atomic operations of an array of integers.
macro_rules! integers {
    ($array:ident, $space:literal, $element:ty, $atomic:ident) => {
        impl $array<$element> {
            #[inline(always)]
            fn atomic(&self, index: impl ArrayIndex) -> &$atomic {
                // SAFETY: the element exists during the launch, and all other threads access it atomically or on the other
                // side of a barrier.
                unsafe { $atomic::from_ptr(self.element(index)) }
            }

            #[doc = concat!("Adds `value` modulo 2^32 and returns the previous value: CUDA's `atomicAdd`, PTX's `atom.", $space, ".add`.")]
            #[inline(always)]
            pub fn fetch_add(self, index: impl ArrayIndex, value: $element) -> $element {
                self.atomic(index).fetch_add(value, Relaxed)
            }

            #[doc = concat!("Replaces the element by the minimum of it and `value`, and returns the previous value: CUDA's `atomicMin`, PTX's `atom.", $space, ".min`.")]
            #[inline(always)]
            pub fn fetch_min(self, index: impl ArrayIndex, value: $element) -> $element {
                self.atomic(index).fetch_min(value, Relaxed)
            }

            #[doc = concat!("Replaces the element by the maximum of it and `value`, and returns the previous value: CUDA's `atomicMax`, PTX's `atom.", $space, ".max`.")]
            #[inline(always)]
            pub fn fetch_max(self, index: impl ArrayIndex, value: $element) -> $element {
                self.atomic(index).fetch_max(value, Relaxed)
            }

            #[doc = concat!("Replaces the element by `value` if it is `current`, and returns the previous value: CUDA's `atomicCAS`, PTX's `atom.relaxed.sys.", $space, ".cas.b32`.")]
            #[inline(always)]
            pub fn compare_exchange(self, index: impl ArrayIndex, current: $element, value: $element) -> $element {
                match self.atomic(index).compare_exchange(current, value, Relaxed, Relaxed) {
                    Ok(before) | Err(before) => before,
                }
            }
        }
    };
}

integers!(Global, "global", u32, AtomicU32);
integers!(Global, "global", i32, AtomicI32);
integers!(Shared, "shared", u32, AtomicU32);
integers!(Shared, "shared", i32, AtomicI32);

impl Global<f32> {
    /// Adds `value` to an element: CUDA's `atomicAdd`, PTX's `atom.global.add.f32`.
    #[inline(always)]
    pub fn fetch_add(self, index: impl ArrayIndex, value: f32) {
        // SAFETY: the index is in bounds, and the caller of `new` guarantees the elements.
        unsafe { target::atomic_add(self.element(index), value) }
    }
}

impl Global<Float4> {
    /// Adds `value` to an element in one access of 16 bytes, in which each of the four additions is atomic: PTX's
    /// `red.global.add.v4.f32`. Requires compute capability 9.0 or higher.
    #[inline(always)]
    pub fn fetch_add(self, index: impl ArrayIndex, value: Float4) {
        // SAFETY: the index is in bounds, the caller of `new` guarantees the elements, and each has four floats.
        unsafe { target::atomic_add_4(self.element(index).cast(), [value.x, value.y, value.z, value.w]) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Float4, Global, shared};

    #[test]
    fn integers_are_added_compared_and_exchanged() {
        let mut values = [u32::MAX, 5];
        // SAFETY: there is one thread.
        let array = unsafe { Global::new(values.as_mut_ptr(), values.len()) };
        assert_eq!((array.fetch_add(0, 2), array.get(0)), (u32::MAX, 1));
        assert_eq!((array.fetch_max(1, 9), array.fetch_min(1, 7), array.get(1)), (5, 9, 7));
        assert_eq!((array.compare_exchange(1, 6, 0), array.compare_exchange(1, 7, 8), array.get(1)), (7, 7, 8));
    }

    #[test]
    fn signed_integers_in_shared_memory_keep_their_sign() {
        // SAFETY: there is one thread, which writes before it reads.
        let array = unsafe { shared!([i32; 1]) };
        array.set(0, 1);
        assert_eq!((array.fetch_min(0, -1), array.fetch_max(0, -2), array.get(0)), (1, -1, -1));
    }

    #[test]
    fn floats_are_added_one_by_one_and_by_fours() {
        let mut one = [1.0_f32];
        let mut four = [Float4::new(1.0, 2.0, 3.0, 4.0)];
        // SAFETY: there is one thread.
        let (one, four) = unsafe { (Global::new(one.as_mut_ptr(), 1), Global::new(four.as_mut_ptr(), 1)) };
        one.fetch_add(0, 0.5);
        four.fetch_add(0, Float4::new(0.5, 0.0, 0.0, -4.0));
        assert_eq!((one.get(0), four.get(0)), (1.5, Float4::new(1.5, 2.0, 3.0, 0.0)));
    }

    #[test]
    #[should_panic(expected = "index 0 is out of bounds of 0 elements")]
    fn bounds_are_checked() {
        // SAFETY: the array has no elements.
        let array = unsafe { Global::<u32>::new(core::ptr::dangling_mut(), 0) };
        array.fetch_add(0, 1);
    }
}
