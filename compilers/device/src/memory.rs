//! Arrays in global, shared and constant memory.
//!
//! Rust's references promise more than the threads of a launch can guarantee: that no thread writes to a value behind a `&`,
//! and that a `&mut` is the only access to its value. Arrays that threads write are therefore not references; they have `get`
//! and `set`.

use crate::target;
use core::ops::Index;

/// The type of an index or a length: 32 bits, like `int` in CUDA C++ kernels, or `usize`. A GPU computes with 32 bits, so that
/// an index of 64 bits takes two registers, and two instructions instead of one.
pub trait ArrayIndex: Copy {
    /// Converts the index to `usize`.
    fn to_usize(self) -> usize;
}

impl ArrayIndex for u32 {
    #[inline(always)]
    fn to_usize(self) -> usize {
        self as usize
    }
}

/// The type of a literal without suffix. A negative index is out of bounds.
impl ArrayIndex for i32 {
    #[inline(always)]
    fn to_usize(self) -> usize {
        self as usize
    }
}

impl ArrayIndex for usize {
    #[inline(always)]
    fn to_usize(self) -> usize {
        self
    }
}

/// A read-only array in global memory: a slice that can also be indexed by `u32`. Indexing checks bounds.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a, T>(&'a [T]);

impl<T> Input<'_, T> {
    /// Makes an array of the `len` elements from `first` on.
    ///
    /// # Safety
    /// The elements must exist during the launch, and no thread may write to them.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(first: *const T, len: impl ArrayIndex) -> Self {
        // SAFETY: the caller guarantees that the elements exist and are not written.
        Self(unsafe { core::slice::from_raw_parts(first, len.to_usize()) })
    }
}

impl<T, I: ArrayIndex> Index<I> for Input<'_, T> {
    type Output = T;

    /// Returns an element: PTX's `ld.global`.
    #[inline(always)]
    fn index(&self, index: I) -> &T {
        &self.0[index.to_usize()]
    }
}

/// Elements in any memory that threads read and write, with checked bounds.
#[derive(Clone, Copy, Debug)]
struct Elements<T> {
    first: *mut T,
    len: usize,
}

impl<T: Copy> Elements<T> {
    #[inline(always)]
    fn part(self, first: impl ArrayIndex, len: impl ArrayIndex) -> Self {
        let first = first.to_usize();
        let len = len.to_usize();
        if first > self.len || len > self.len - first {
            target::out_of_bounds(first + len, self.len);
        }
        Self { first: self.first.wrapping_add(first), len }
    }

    #[inline(always)]
    fn element(self, index: impl ArrayIndex) -> *mut T {
        let index = index.to_usize();
        if index >= self.len {
            target::out_of_bounds(index, self.len);
        }
        // SAFETY: the index is in bounds, and the callers of the arrays' constructors guarantee the elements.
        unsafe { self.first.add(index) }
    }

    #[inline(always)]
    fn get(self, index: impl ArrayIndex) -> T {
        // SAFETY: the element exists, and the callers of the constructors guarantee that no thread writes it now.
        unsafe { *self.element(index) }
    }

    #[inline(always)]
    fn set(self, index: impl ArrayIndex, value: T) {
        // SAFETY: the element exists, and the callers of the constructors guarantee that no other thread uses it now.
        unsafe { *self.element(index) = value }
    }
}

/// An array in global memory that the threads of the launch read and write, with checked bounds.
#[derive(Clone, Copy, Debug)]
pub struct Global<T>(Elements<T>);

impl<T: Copy> Global<T> {
    /// Makes an array of the `len` elements from `first` on.
    ///
    /// # Safety
    /// The elements must exist during the launch. If two threads access the same element and one of them writes it, a barrier
    /// must separate the two accesses, or both must be atomic.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(first: *mut T, len: impl ArrayIndex) -> Self {
        Self(Elements { first, len: len.to_usize() })
    }

    /// Returns the array of the `len` elements from element `first` on.
    #[inline(always)]
    #[must_use]
    pub fn part(self, first: impl ArrayIndex, len: impl ArrayIndex) -> Self {
        Self(self.0.part(first, len))
    }

    /// Returns the address of an element.
    #[inline(always)]
    pub(crate) fn element(self, index: impl ArrayIndex) -> *mut T {
        self.0.element(index)
    }

    /// Returns an element: PTX's `ld.global`.
    #[inline(always)]
    #[must_use]
    pub fn get(self, index: impl ArrayIndex) -> T {
        self.0.get(index)
    }

    /// Writes an element: PTX's `st.global`.
    #[inline(always)]
    pub fn set(self, index: impl ArrayIndex, value: T) {
        self.0.set(index, value);
    }
}

/// An array in the shared memory of a block, with checked bounds. It is made by [`shared!`](crate::shared) or
/// [`dynamic_shared`].
#[derive(Clone, Copy, Debug)]
pub struct Shared<T>(Elements<T>);

impl<T: Copy> Shared<T> {
    /// Returns the array of the `len` elements from element `first` on.
    #[inline(always)]
    #[must_use]
    pub fn part(self, first: impl ArrayIndex, len: impl ArrayIndex) -> Self {
        Self(self.0.part(first, len))
    }

    /// Returns the address of an element.
    #[inline(always)]
    pub(crate) fn element(self, index: impl ArrayIndex) -> *mut T {
        self.0.element(index)
    }

    /// Returns an element: PTX's `ld.shared`.
    #[inline(always)]
    #[must_use]
    pub fn get(self, index: impl ArrayIndex) -> T {
        self.0.get(index)
    }

    /// Writes an element: PTX's `st.shared`.
    #[inline(always)]
    pub fn set(self, index: impl ArrayIndex, value: T) {
        self.0.set(index, value);
    }
}

/// Allocates a [`Shared`] array: `shared!([f32; 256])` is CUDA's `__shared__ float tile[256]`. Its elements are uninitialized.
/// Each occurrence in the source is a separate array.
///
/// It is an unsafe operation. An element must be written before it is read. If two threads access the same element and one of
/// them writes it, a barrier must separate the two accesses, or both must be atomic.
#[macro_export]
macro_rules! shared {
    ([$element:ty; $len:expr]) => {{
        struct Here;
        $crate::shared_array::<Here, $element, { $len }>()
    }};
}

/// Allocates one array for each `Place`, for [`shared!`](crate::shared).
///
/// # Safety
/// The same as for [`shared!`](crate::shared).
#[doc(hidden)]
#[inline(always)]
#[must_use]
pub unsafe fn shared_array<Place, T: Copy, const N: usize>() -> Shared<T> {
    Shared(Elements { first: target::shared_array::<Place, T, N>(), len: N })
}

/// Returns the dynamic shared memory of the launch as `len` elements: CUDA's `extern __shared__`, PTX's `.extern .shared`.
/// All calls return the same memory.
///
/// # Safety
/// The launch must request at least this much dynamic shared memory. Otherwise the same as for [`shared!`](crate::shared).
#[inline(always)]
#[must_use]
pub unsafe fn dynamic_shared<T: Copy>(len: impl ArrayIndex) -> Shared<T> {
    let len = len.to_usize();
    Shared(Elements { first: target::dynamic_shared::<T>(len), len })
}

/// Declares an array in constant memory, CUDA's `__constant__`, which the host finds by its name and fills before a launch.
///
/// `constant!(atom_chunk: [Float4; 4096]);` declares the function `atom_chunk()`, which returns the array. Loads from it are
/// PTX's `ld.const`. No thread can write to the array, so that it is a reference.
#[macro_export]
macro_rules! constant {
    ($name:ident: [$element:ty; $len:expr]) => {
        #[inline(always)]
        fn $name() -> &'static [$element; $len] {
            #[unsafe(export_name = concat!("constant.", stringify!($name)))]
            #[inline(never)]
            extern "C" fn address() -> *const [$element; $len] {
                $crate::constant_address()
            }
            // SAFETY: the address is of an array of this type, which only the host writes, between launches.
            unsafe { &*address() }
        }
    };
}

/// Returns the address of an array for [`constant!`](crate::constant). Its bytes are zero until the host writes them.
#[doc(hidden)]
#[inline(always)]
#[must_use]
pub fn constant_address<T>() -> *const T {
    target::constant_address(size_of::<T>(), align_of::<T>()).cast()
}
