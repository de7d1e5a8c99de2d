//! Memory that threads share: global, of the whole launch; shared, of a block; constant.
//!
//! Rust's references promise more than threads of a launch can keep: that nobody writes what a `&` shows, and that a
//! `&mut` is the only way to what it shows. Arrays that threads write are therefore neither, but have `get` and `set`.

use crate::target;
use core::ops::Index;

/// What counts elements of an array: 32 bits, as CUDA C++ kernels count in `int`, or `usize`. A GPU computes in 32 bits: an
/// index of 64 takes two registers, and two instructions where one of 32 takes one.
pub trait ArrayIndex: Copy {
    /// The same in Rust's own type.
    fn to_usize(self) -> usize;
}

impl ArrayIndex for u32 {
    #[inline(always)]
    fn to_usize(self) -> usize {
        self as usize
    }
}

/// That of a literal. A negative one is out of bounds.
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

/// An array in global memory that nobody writes during the launch: a slice that is indexed by `u32` too. It checks bounds.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a, T>(&'a [T]);

impl<T> Input<'_, T> {
    /// The `len` elements from `first` on.
    ///
    /// # Safety
    /// They are there during the launch, and nobody writes them.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(first: *const T, len: impl ArrayIndex) -> Self {
        // SAFETY: as the caller promises.
        Self(unsafe { core::slice::from_raw_parts(first, len.to_usize()) })
    }
}

impl<T, I: ArrayIndex> Index<I> for Input<'_, T> {
    type Output = T;

    /// An element: PTX's `ld.global`.
    #[inline(always)]
    fn index(&self, index: I) -> &T {
        &self.0[index.to_usize()]
    }
}

/// Elements that threads read and write, wherever they are. Bounds are checked.
#[derive(Clone, Copy, Debug)]
struct Elements<T> {
    first: *mut T,
    len: usize,
}

impl<T: Copy> Elements<T> {
    #[inline(always)]
    fn part(self, first: impl ArrayIndex, len: impl ArrayIndex) -> Self {
        let (first, len) = (first.to_usize(), len.to_usize());
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
        // SAFETY: in bounds of what the makers of the arrays below were promised.
        unsafe { self.first.add(index) }
    }

    #[inline(always)]
    fn get(self, index: impl ArrayIndex) -> T {
        // SAFETY: an element that is there; who else uses it now is what the makers were promised.
        unsafe { *self.element(index) }
    }

    #[inline(always)]
    fn set(self, index: impl ArrayIndex, value: T) {
        // SAFETY: likewise.
        unsafe { *self.element(index) = value }
    }
}

/// An array in global memory that threads of the launch read and write. It checks bounds.
#[derive(Clone, Copy, Debug)]
pub struct Global<T>(Elements<T>);

impl<T: Copy> Global<T> {
    /// The `len` elements from `first` on.
    ///
    /// # Safety
    /// They are there during the launch. Of two threads that use the same element, one of them writing it, one is past a
    /// barrier that the other has reached after its use.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(first: *mut T, len: impl ArrayIndex) -> Self {
        Self(Elements { first, len: len.to_usize() })
    }

    /// The `len` elements from `first` on.
    #[inline(always)]
    #[must_use]
    pub fn part(self, first: impl ArrayIndex, len: impl ArrayIndex) -> Self {
        Self(self.0.part(first, len))
    }

    /// Where an element is.
    #[inline(always)]
    pub(crate) fn element(self, index: impl ArrayIndex) -> *mut T {
        self.0.element(index)
    }

    /// An element: PTX's `ld.global`.
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

/// An array in shared memory, of which each block has its own. It checks bounds. Made by [`shared!`](crate::shared) or
/// [`dynamic_shared`].
#[derive(Clone, Copy, Debug)]
pub struct Shared<T>(Elements<T>);

impl<T: Copy> Shared<T> {
    /// The `len` elements from `first` on.
    #[inline(always)]
    #[must_use]
    pub fn part(self, first: impl ArrayIndex, len: impl ArrayIndex) -> Self {
        Self(self.0.part(first, len))
    }

    /// Where an element is.
    #[inline(always)]
    pub(crate) fn element(self, index: impl ArrayIndex) -> *mut T {
        self.0.element(index)
    }

    /// An element: PTX's `ld.shared`.
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

/// An array of [`Shared`] memory: `shared!([f32; 256])`, CUDA's `__shared__ float tile[256]`. Its elements have no value
/// at first. Each place in the source is an array of its own.
///
/// It is an unsafe operation: of two threads that use the same element, one of them writing it, one must be past a barrier
/// that the other has reached after its use; and an element must be written before it is read.
#[macro_export]
macro_rules! shared {
    ([$element:ty; $len:expr]) => {{
        struct Here;
        $crate::shared_array::<Here, $element, { $len }>()
    }};
}

/// What [`shared!`](crate::shared) calls: one array for each `Place`.
///
/// # Safety
/// As [`shared!`](crate::shared) says.
#[doc(hidden)]
#[inline(always)]
#[must_use]
pub unsafe fn shared_array<Place, T: Copy, const N: usize>() -> Shared<T> {
    Shared(Elements { first: target::shared_array::<Place, T, N>(), len: N })
}

/// The shared memory that the launch asks for, as `len` elements: CUDA's `extern __shared__`, PTX's `.extern .shared`. All
/// calls give the same memory.
///
/// # Safety
/// The launch gives as much. Beyond that as [`shared!`](crate::shared) says.
#[inline(always)]
#[must_use]
pub unsafe fn dynamic_shared<T: Copy>(len: impl ArrayIndex) -> Shared<T> {
    let len = len.to_usize();
    Shared(Elements { first: target::dynamic_shared::<T>(len), len })
}

/// An array in constant memory, CUDA's `__constant__`, that the host finds by its name and fills before a launch:
/// `constant!(atom_chunk: [Float4; 4096]);` gives the function `atom_chunk()`, which returns the array. Reading it is PTX's
/// `ld.const`. Nobody writes it during a launch, so that a `&` tells the truth.
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
            // SAFETY: an array of this type, which the host alone writes, between launches.
            unsafe { &*address() }
        }
    };
}

/// What [`constant!`](crate::constant) calls: zero bytes until the host writes others.
#[doc(hidden)]
#[inline(always)]
#[must_use]
pub fn constant_address<T>() -> *const T {
    target::constant_address(size_of::<T>(), align_of::<T>()).cast()
}
