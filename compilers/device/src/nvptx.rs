//! The functions on the device: special registers, LLVM's intrinsics, and markers.
//!
//! A marker, `device.…`, is a call that `rust-ptx/src/ir` replaces by other code or by a property before LLVM optimizes. Its
//! arguments are constants.

use core::arch::{asm, nvptx};
use core::mem::transmute_copy;

unsafe extern "C" {
    #[link_name = "llvm.nvvm.rsqrt.approx.f"]
    safe fn rsqrt_approx(x: f32) -> f32;
    #[link_name = "llvm.nvvm.rsqrt.approx.ftz.f"]
    safe fn rsqrt_approx_ftz(x: f32) -> f32;
    #[link_name = "llvm.nvvm.lg2.approx.ftz.f"]
    safe fn lg2_approx_ftz(x: f32) -> f32;
    #[link_name = "llvm.nvvm.ex2.approx.ftz.f32"]
    safe fn ex2_approx_ftz(x: f32) -> f32;
    #[link_name = "llvm.nvvm.f2ll.rn"]
    safe fn to_i64_nearest(x: f32) -> i64;
    #[link_name = "llvm.fma.f32"]
    safe fn fma(x: f32, y: f32, z: f32) -> f32;
    #[link_name = "llvm.floor.f32"]
    safe fn floor_intrinsic(x: f32) -> f32;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    safe fn bar_warp_sync(lanes: u32);
    #[link_name = "llvm.nvvm.membar.gl"]
    safe fn membar_gl();
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    safe fn shfl_idx(lanes: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    safe fn shfl_down(lanes: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    safe fn shfl_bfly(lanes: u32, value: u32, mask: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    safe fn vote_ballot(lanes: u32, condition: bool) -> u32;
    #[link_name = "llvm.nvvm.vote.any.sync"]
    safe fn vote_any(lanes: u32, condition: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.all.sync"]
    safe fn vote_all(lanes: u32, condition: bool) -> bool;
    // LLVM translates this name to its instruction atomicrmw, which has no name in Rust.
    #[link_name = "llvm.nvvm.atomic.load.add.f32.p0"]
    fn atomic_load_add(address: *mut f32, value: f32) -> f32;

    #[link_name = "device.out_of_bounds"]
    safe fn out_of_bounds_marker() -> !;
    #[link_name = "device.unroll"]
    safe fn unroll_marker(count: usize);
    #[link_name = "device.launch_bounds"]
    safe fn launch_bounds_marker(threads: usize);
    #[link_name = "device.resident_blocks"]
    safe fn resident_blocks_marker(blocks: usize);
    #[link_name = "device.source_order"]
    safe fn source_order_marker();
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
    // SAFETY: a thread that does not reach the barrier keeps the others waiting, which is not a memory error.
    unsafe { nvptx::_syncthreads() }
}

#[inline(always)]
pub fn sync_warp(lanes: u32) {
    bar_warp_sync(lanes);
}

#[inline(always)]
pub fn thread_fence() {
    membar_gl();
}

#[inline(always)]
pub fn out_of_bounds(_index: usize, _len: usize) -> ! {
    out_of_bounds_marker()
}

/// The segment of all shuffles, which is the whole warp.
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
pub fn shuffle_xor(lanes: u32, value: u32, mask: u32) -> u32 {
    shfl_bfly(lanes, value, mask, CLAMP)
}

#[inline(always)]
pub fn ballot(lanes: u32, condition: bool) -> u32 {
    vote_ballot(lanes, condition)
}

#[inline(always)]
pub fn any(lanes: u32, condition: bool) -> bool {
    vote_any(lanes, condition)
}

#[inline(always)]
pub fn all(lanes: u32, condition: bool) -> bool {
    vote_all(lanes, condition)
}

#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    rsqrt_approx(x)
}

#[inline(always)]
pub fn fast_rsqrt(x: f32) -> f32 {
    rsqrt_approx_ftz(x)
}

#[inline(always)]
pub fn fast_log2(x: f32) -> f32 {
    lg2_approx_ftz(x)
}

#[inline(always)]
pub fn fast_exp2(x: f32) -> f32 {
    ex2_approx_ftz(x)
}

#[inline(always)]
pub fn round_to_i64(x: f32) -> i64 {
    to_i64_nearest(x)
}

#[inline(always)]
pub fn mul_add(x: f32, y: f32, z: f32) -> f32 {
    fma(x, y, z)
}

#[inline(always)]
pub fn floor(x: f32) -> f32 {
    floor_intrinsic(x)
}

#[inline(always)]
pub unsafe fn atomic_add(address: *mut f32, value: f32) {
    // SAFETY: the caller guarantees that the address is of a float that threads access atomically.
    unsafe { atomic_load_add(address, value) };
}

// LLVM has no intrinsics for the following functions. A generic address in global memory equals the global address.

#[inline(always)]
pub unsafe fn atomic_add_4(address: *mut [f32; 4], [x, y, z, w]: [f32; 4]) {
    // SAFETY: the caller guarantees that the address is of four floats that threads access atomically.
    unsafe {
        asm!("red.global.add.v4.f32 [{}], {{{}, {}, {}, {}}};",
            in(reg64) address, in(reg32) x, in(reg32) y, in(reg32) z, in(reg32) w, options(nostack, preserves_flags));
    }
}

/// Defines a function that loads 4, 8 or 16 bytes by `ld.global` with a cache operator.
macro_rules! load {
    ($name:ident, $operator:literal) => {
        #[inline(always)]
        pub unsafe fn $name<T>(address: *const T) -> T {
            let [mut x, mut y, mut z, mut w] = [0_u32; 4];
            // SAFETY: the caller guarantees that the address is of a value with this size and that all bit patterns are valid.
            unsafe {
                match size_of::<T>() {
                    4 => asm!(concat!("ld.global.", $operator, ".u32 {}, [{}];"),
                        out(reg32) x, in(reg64) address, options(pure, readonly, nostack, preserves_flags)),
                    8 => asm!(concat!("ld.global.", $operator, ".v2.u32 {{{}, {}}}, [{}];"),
                        out(reg32) x, out(reg32) y, in(reg64) address, options(pure, readonly, nostack, preserves_flags)),
                    _ => asm!(concat!("ld.global.", $operator, ".v4.u32 {{{}, {}, {}, {}}}, [{}];"),
                        out(reg32) x, out(reg32) y, out(reg32) z, out(reg32) w, in(reg64) address,
                        options(pure, readonly, nostack, preserves_flags)),
                }
                transmute_copy(&[x, y, z, w])
            }
        }
    };
}

load!(load_from_l2, "cg");
load!(load_streaming, "cs");

#[inline(always)]
pub fn unroll(count: usize) {
    unroll_marker(count);
}

#[inline(always)]
pub fn launch_bounds(threads: usize) {
    launch_bounds_marker(threads);
}

#[inline(always)]
pub fn resident_blocks(blocks: usize) {
    resident_blocks_marker(blocks);
}

#[inline(always)]
pub fn source_order() {
    source_order_marker();
}

/// Not inlined, so that all calls of an instance return the same array.
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
