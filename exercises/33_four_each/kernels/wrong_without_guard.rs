// must fail with runs: failed assertion
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_idx, grid_dim, shared, sync_threads, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn partial_sums(data: *const i32, partials: *mut i32, n: u32) {
    let n = n as usize;
    // SAFETY: data has n elements, and partials one per block, which its thread 0 writes
    let (data, partials) = unsafe { (from_raw_parts(data, n), Global::new(partials, grid_dim().x as usize)) };
    // SAFETY: a barrier separates the writes of an element from its reads
    let tree = unsafe { shared!([i32; 128]) };
    let t = thread_idx().x as usize;
    let first = block_idx().x as usize * 512;
    let mut sum = 0_i32;
    // >>> your code
    for k in (first + t..first + 512).step_by(128) {
        sum = sum.wrapping_add(data[k]);
    }
    // <<<
    tree.set(t, sum);
    sync_threads();
    let mut half = 64;
    while half > 0 {
        if t < half {
            tree.set(t, tree.get(t).wrapping_add(tree.get(t + half)));
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        partials.set(block_idx().x as usize, tree.get(0));
    }
}
