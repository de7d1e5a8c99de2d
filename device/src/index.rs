//! Which thread this is, of how many.

use crate::target;
use core::hint::assert_unchecked;

/// Three numbers, along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    /// Along x.
    pub x: u32,
    /// Along y.
    pub y: u32,
    /// Along z.
    pub z: u32,
}

impl Dim3 {
    #[inline(always)]
    fn of([x, y, z]: [u32; 3]) -> Self {
        Self { x, y, z }
    }

    /// Tells the compiler too that each number is below its limit, so that it need not check that again.
    #[inline(always)]
    fn below([x, y, z]: [u32; 3], [limit_x, limit_y, limit_z]: [u32; 3]) -> Self {
        // SAFETY: a thread is one of its block's, and a block one of its grid's.
        unsafe { assert_unchecked(x < limit_x && y < limit_y && z < limit_z) };
        Self { x, y, z }
    }
}

/// The thread in its block, each number below that of [`block_dim`]: CUDA's `threadIdx`, PTX's `%tid`.
#[inline(always)]
#[must_use]
pub fn thread_idx() -> Dim3 {
    Dim3::below(target::thread_idx(), target::block_dim())
}

/// The block in its grid, each number below that of [`grid_dim`]: CUDA's `blockIdx`, PTX's `%ctaid`.
#[inline(always)]
#[must_use]
pub fn block_idx() -> Dim3 {
    Dim3::below(target::block_idx(), target::grid_dim())
}

/// Threads of a block, in all at most 1024: CUDA's `blockDim`, PTX's `%ntid`.
#[inline(always)]
#[must_use]
pub fn block_dim() -> Dim3 {
    Dim3::of(target::block_dim())
}

/// Blocks of the grid: CUDA's `gridDim`, PTX's `%nctaid`.
#[inline(always)]
#[must_use]
pub fn grid_dim() -> Dim3 {
    Dim3::of(target::grid_dim())
}
