//! Barriers and fences, which order the stores of one thread for others.

use crate::target;

/// Waits until all threads of the block have reached this barrier: CUDA's `__syncthreads`, PTX's `bar.sync 0`.
///
/// All threads of the block must reach it or have exited. Otherwise the launch may never end, which is not a memory error.
#[inline(always)]
pub fn sync_threads() {
    target::sync_threads();
}

/// Waits until the lanes of the warp whose bits are set in `lanes` have reached this barrier: CUDA's `__syncwarp`, PTX's
/// `bar.warp.sync`. Each of these lanes must call it with the same mask, or have exited.
#[inline(always)]
pub fn sync_warp(lanes: u32) {
    target::sync_warp(lanes);
}

/// Orders this thread's accesses for all threads of the launch: a thread that sees a store after the fence also sees all
/// stores before it. CUDA's `__threadfence`, PTX's `membar.gl`. It does not wait for other threads.
#[inline(always)]
pub fn thread_fence() {
    target::thread_fence();
}
