//! The indices of a thread and its block, and the shape of the launch.

use crate::target;
use core::hint::assert_unchecked;

/// Three numbers, one for each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    /// The number along x.
    pub x: u32,
    /// The number along y.
    pub y: u32,
    /// The number along z.
    pub z: u32,
}

impl Dim3 {
    #[inline(always)]
    fn from_array([x, y, z]: [u32; 3]) -> Self {
        Self { x, y, z }
    }

    /// Lets the compiler assume that each number is below its limit, so that it can remove bounds checks.
    #[inline(always)]
    fn below([x, y, z]: [u32; 3], [limit_x, limit_y, limit_z]: [u32; 3]) -> Self {
        // SAFETY: a thread's index is below the block's size, and a block's index below the grid's size.
        unsafe { assert_unchecked(x < limit_x && y < limit_y && z < limit_z) };
        Self { x, y, z }
    }
}

/// Returns the index of the thread in its block, below [`block_dim`] along each axis: CUDA's `threadIdx`, PTX's `%tid`.
#[inline(always)]
#[must_use]
pub fn thread_idx() -> Dim3 {
    Dim3::below(target::thread_idx(), target::block_dim())
}

/// Returns the index of the block in its grid, below [`grid_dim`] along each axis: CUDA's `blockIdx`, PTX's `%ctaid`.
#[inline(always)]
#[must_use]
pub fn block_idx() -> Dim3 {
    Dim3::below(target::block_idx(), target::grid_dim())
}

/// Returns the number of threads per block along each axis, at most 1024 in all: CUDA's `blockDim`, PTX's `%ntid`.
#[inline(always)]
#[must_use]
pub fn block_dim() -> Dim3 {
    Dim3::from_array(target::block_dim())
}

/// Returns the number of blocks in the grid along each axis: CUDA's `gridDim`, PTX's `%nctaid`.
#[inline(always)]
#[must_use]
pub fn grid_dim() -> Dim3 {
    Dim3::from_array(target::grid_dim())
}
