#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{ALL_LANES, Global, block_idx, grid_dim, shared, shuffle_down, sync_threads, sync_warp, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn block_sums(data: *const i32, partials: *mut i32, n: u32) {
    let n = n as usize;
    // SAFETY: data has n elements, and partials one per block, which one of its threads writes
    let (data, partials) = unsafe { (from_raw_parts(data, n), Global::new(partials, grid_dim().x as usize)) };
    // SAFETY: a barrier separates the writes of an element from its reads
    let tree = unsafe { shared!([i32; 256]) };
    let t = thread_idx().x as usize;
    let i = block_idx().x as usize * 256 + t;
    tree.set(t, if i < n { data[i] } else { 0 });
    sync_threads();
    // >>> your code
    let mut half = 128;
    while half >= 64 {
        if t < half {
            tree.set(t, tree.get(t).wrapping_add(tree.get(t + half)));
        }
        sync_threads();
        half /= 2;
    }
    let add = |half| tree.set(t, tree.get(t).wrapping_add(tree.get(t + half)));
    if t < 32 {
        add(32);
        for half in [16, 8, 4, 2, 1] {
            if t < half {
                add(half);
            }
        }
    }
    if t == 0 {
        partials.set(block_idx().x as usize, tree.get(0));
    }
    // <<<
}
