//! The device's own: special registers, LLVM's intrinsics, and markers.
//!
//! A marker, `device.…`, is a call that `rust-ptx/src/ir` replaces, or removes for a property, before LLVM compiles on. Its
//! arguments are constants.

use core::arch::nvptx;

unsafe extern "C" {
    #[link_name = "llvm.nvvm.rsqrt.approx.f"]
    safe fn rsqrt_approx(x: f32) -> f32;
    #[link_name = "llvm.floor.f32"]
    safe fn floor_intrinsic(x: f32) -> f32;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    safe fn bar_warp_sync(lanes: u32);
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    safe fn shfl_idx(lanes: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    safe fn shfl_down(lanes: u32, value: u32, delta: u32, clamp: u32) -> u32;
    // LLVM reads it as its instruction atomicrmw, for which Rust has no name.
    #[link_name = "llvm.nvvm.atomic.load.add.f32.p0"]
    fn atomic_load_add(address: *mut f32, value: f32) -> f32;

    #[link_name = "device.unroll"]
    safe fn unroll_marker(count: usize);
    #[link_name = "device.launch_bounds"]
    safe fn launch_bounds_marker(threads: usize);
    #[link_name = "device.shared"]
    safe fn shared_marker(bytes: usize, align: usize) -> *mut u8;
    #[link_name = "device.dynamic_shared"]
    safe fn dynamic_shared_marker() -> *mut u8;
    #[link_name = "device.constant"]
    safe fn constant_marker(bytes: usize, align: usize) -> *const u8;
}

#[inline(always)]
pub fn thread_idx() -> [u32; 3] {
    // SAFETY: every thread has these registers.
    unsafe { [nvptx::_thread_idx_x(), nvptx::_thread_idx_y(), nvptx::_thread_idx_z()] }
}

#[inline(always)]
pub fn block_idx() -> [u32; 3] {
    // SAFETY: every thread has these registers.
    unsafe { [nvptx::_block_idx_x(), nvptx::_block_idx_y(), nvptx::_block_idx_z()] }
}

#[inline(always)]
pub fn block_dim() -> [u32; 3] {
    // SAFETY: every thread has these registers.
    unsafe { [nvptx::_block_dim_x(), nvptx::_block_dim_y(), nvptx::_block_dim_z()] }
}

#[inline(always)]
pub fn grid_dim() -> [u32; 3] {
    // SAFETY: every thread has these registers.
    unsafe { [nvptx::_grid_dim_x(), nvptx::_grid_dim_y(), nvptx::_grid_dim_z()] }
}

#[inline(always)]
pub fn sync_threads() {
    // SAFETY: who does not come keeps the others waiting, which is no memory error.
    unsafe { nvptx::_syncthreads() }
}

#[inline(always)]
pub fn sync_warp(lanes: u32) {
    bar_warp_sync(lanes);
}

/// Segments of a whole warp, in both shuffles.
const CLAMP: u32 = 31;

#[inline(always)]
pub fn shuffle(lanes: u32, value: u32, lane: u32) -> u32 {
    shfl_idx(lanes, value, lane, CLAMP)
}

#[inline(always)]
pub fn shuffle_down(lanes: u32, value: u32, delta: u32) -> u32 {
    shfl_down(lanes, value, delta, CLAMP)
}

#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    rsqrt_approx(x)
}

#[inline(always)]
pub fn floor(x: f32) -> f32 {
    floor_intrinsic(x)
}

#[inline(always)]
pub unsafe fn atomic_add(address: *mut f32, value: f32) {
    // SAFETY: as the caller says, the address is of a float that threads use atomically.
    unsafe { atomic_load_add(address, value) };
}

#[inline(always)]
pub fn unroll(count: usize) {
    unroll_marker(count);
}

#[inline(always)]
pub fn launch_bounds(threads: usize) {
    launch_bounds_marker(threads);
}

/// Not inlined, so that a function is one array, however often it is called.
#[inline(never)]
pub fn shared_array<Place, T, const N: usize>() -> *mut T {
    shared_marker(size_of::<[T; N]>(), align_of::<T>()).cast()
}

#[inline(always)]
pub fn dynamic_shared<T>(_len: usize) -> *mut T {
    dynamic_shared_marker().cast()
}

#[inline(always)]
pub fn constant_address(bytes: usize, align: usize) -> *const u8 {
    constant_marker(bytes, align)
}
