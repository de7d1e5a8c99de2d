// must fail with limits: barriers / warps
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{ALL_LANES, Global, block_idx, grid_dim, shared, shuffle_down, sync_threads, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn block_sums(data: *const f32, partials: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: data has n elements, and partials one per block
    let (data, partials) = unsafe { (from_raw_parts(data, n), Global::new(partials, grid_dim().x as usize)) };
    let t = thread_idx().x as usize;
    let (warp, lane, block) = (t / 32, t % 32, block_idx().x as usize);
    let i = block * 256 + t;
    // >>> your code
    // SAFETY: a barrier separates the writes of an element from its reads
    let slots = unsafe { shared!([f32; 8]) };
    if t < 8 {
        slots.set(t, 0.0);
    }
    sync_threads();
    let mut sum = if i < n { data[i] } else { 0.0 };
    for delta in [16, 8, 4, 2, 1] {
        sum += shuffle_down(ALL_LANES, sum, delta);
    }
    if lane == 0 {
        slots.set(warp, slots.get(warp) + sum);
    }
    sync_threads();
    if t == 0 {
        let mut sum = 0.0;
        for k in 0..8 {
            sum += slots.get(k);
        }
        partials.set(block, sum);
    }
    // <<<
}
