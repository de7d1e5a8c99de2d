// forces_of and pulls_of in Rust; 01_forces_of.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{
    Float4, Global, Input, block_idx, fast_rsqrt, grid_dim, launch_bounds, shared, sync_threads, thread_idx, unroll,
};

const GRAVITY: f32 = 6.67e-11; // m^3 kg^-1 s^-2
const BLOCK: u32 = 128;
const PARTS: usize = 4; // targets per thread

#[inline(always)]
unsafe fn sums_of<const GALAXY: bool>(
    targets: *const Float4,
    targets_count: u32,
    sources: *const Float4,
    sources_count: u32,
    sums: *mut f32,
) {
    let softening: f32 = const { if GALAXY { 0.0025 } else { 1e-9 } }; // m^2
    // SAFETY: both counts are at least 1
    unsafe { assert_unchecked(targets_count >= 1 && sources_count >= 1) };
    // SAFETY: each array has its count of elements, and no thread writes these
    let (targets, sources) = unsafe { (Input::new(targets, targets_count), Input::new(sources, sources_count)) };
    // SAFETY: one row per component, to which all threads add atomically
    let sums = unsafe { Global::new(sums, 3 * targets_count) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let tile = unsafe { shared!([Float4; BLOCK as usize]) };
    let t = thread_idx().x; // [0, BLOCK)
    let first_target = block_idx().x * (PARTS as u32 * BLOCK) + t; // the others are BLOCK apart

    let mut own = [Float4::default(); PARTS];
    let (mut sum_x, mut sum_y, mut sum_z) = ([0.0; PARTS], [0.0; PARTS], [0.0; PARTS]);
    for p in 0..PARTS {
        unroll(PARTS);
        // a target past the count is the last one; its sums are not stored
        own[p] = targets[(first_target + p as u32 * BLOCK).min(targets_count - 1)];
    }
    let tiles = sources_count.div_ceil(BLOCK);
    let each = tiles.div_ceil(grid_dim().y); // tiles per slice; the last slices may have fewer or none
    let first_tile = (block_idx().y * each).min(tiles);
    let last_tile = (first_tile + each).min(tiles);
    for first in (first_tile * BLOCK..last_tile * BLOCK).step_by(BLOCK as usize) {
        let loaded = sources[(first + t).min(sources_count - 1)];
        // past the count: the last source, with zero mass
        let mass = if first + t < sources_count { loaded.w } else { 0.0 };
        tile.set(t, Float4 { w: mass, ..loaded });
        // the tile must be complete before any thread reads it
        sync_threads();

        for k in 0..BLOCK {
            unroll(4);
            let source = tile.get(k);
            for p in 0..PARTS {
                unroll(PARTS);
                let (dx, dy, dz) = (source.x - own[p].x, source.y - own[p].y, source.z - own[p].z);
                // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
                let inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + softening)));
                let weight = source.w * inverse * inverse * inverse;
                sum_x[p] += weight * dx;
                sum_y[p] += weight * dy;
                sum_z[p] += weight * dz;
            }
        }
        // a fast warp must not overwrite the tile while slower warps still read it
        sync_threads();
    }

    for p in 0..PARTS {
        unroll(PARTS);
        let i = first_target + p as u32 * BLOCK;
        if i < targets_count {
            let scale = if GALAXY { 1.0 } else { GRAVITY * own[p].w };
            sums.fetch_add(i, scale * sum_x[p]);
            sums.fetch_add(targets_count + i, scale * sum_y[p]);
            sums.fetch_add(2 * targets_count + i, scale * sum_z[p]);
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn forces_of(
    targets: *const Float4,
    targets_count: u32,
    sources: *const Float4,
    sources_count: u32,
    sums: *mut f32,
) {
    launch_bounds(BLOCK as usize);
    // SAFETY: the launch meets the requirements of the card
    unsafe { sums_of::<false>(targets, targets_count, sources, sources_count, sums) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn pulls_of(
    targets: *const Float4,
    targets_count: u32,
    sources: *const Float4,
    sources_count: u32,
    sums: *mut f32,
) {
    launch_bounds(BLOCK as usize);
    // SAFETY: the launch meets the requirements of the card
    unsafe { sums_of::<true>(targets, targets_count, sources, sources_count, sums) }
}
