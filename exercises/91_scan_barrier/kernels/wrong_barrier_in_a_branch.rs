// must fail with findings: synccheck: barrier with divergent threads
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, block_idx, shared, sync_threads, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scan(data: *const u32, sums: *mut u32, n: u32) {
    // SAFETY: the arrays have n elements, and each element of sums is written by one thread
    let (data, sums) = unsafe { (Input::new(data, n), Global::new(sums, n)) };
    // SAFETY: a barrier separates the writes of an element from its reads
    let tile = unsafe { shared!([u32; 128]) };
    let t = thread_idx().x;
    let i = block_idx().x * 128 + t;
    tile.set(t, if i < n { data[i] } else { 0 });
    sync_threads();
    // >>> your code
    for apart in [1, 2, 4, 8, 16, 32, 64] {
        if t >= apart {
            let before = tile.get(t - apart);
            sync_threads();
            tile.set(t, tile.get(t).wrapping_add(before));
        }
        sync_threads();
    }
    // <<<
    if i < n {
        sums.set(i, tile.get(t));
    }
}
