//! Barriers and fences: what was stored before one is seen after it.

use crate::target;

/// Waits for all threads of the block: CUDA's `__syncthreads`, PTX's `bar.sync 0`. All of them must come here or have
/// ended; it is no memory error where some do not, but the launch may never end.
#[inline(always)]
pub fn sync_threads() {
    target::sync_threads();
}

/// Waits for the lanes of the warp whose bits are set in `lanes`: CUDA's `__syncwarp`, PTX's `bar.warp.sync`. Each of them
/// must come here with the same mask, or have ended.
#[inline(always)]
pub fn sync_warp(lanes: u32) {
    target::sync_warp(lanes);
}

/// Orders this thread's accesses for all threads of the launch: who sees what it stores after the fence also sees what it
/// stored before. CUDA's `__threadfence`, PTX's `membar.gl`. It waits for nobody.
#[inline(always)]
pub fn thread_fence() {
    target::thread_fence();
}
