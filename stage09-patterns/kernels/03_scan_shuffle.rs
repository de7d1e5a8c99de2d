// scanShuffle in Rust; 03_scan_shuffle.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{ALL_LANES, Global, Input, WARP, block_idx, grid_dim, kernels, shared, shuffle, sync_threads, thread_idx};

/// Returns the sum of `value` over the lanes up to this one. All 32 lanes must call it.
#[inline(always)]
fn warp_scan(mut value: u32) -> u32 {
    let lane = thread_idx().x % WARP;
    for apart in [1, 2, 4, 8, 16] {
        let before = shuffle(ALL_LANES, value, lane.wrapping_sub(apart));
        if lane >= apart {
            value = value.wrapping_add(before);
        }
    }
    value
}

#[inline(always)]
unsafe fn scan_shuffle<const BLOCK: usize>(numbers: *const u32, prefixes: *mut u32, sums: *mut u32, n: u32) {
    let warps = BLOCK as u32 / WARP;
    // SAFETY: no thread writes the numbers; each prefix is written by one thread, and each sum by one block
    let (numbers, prefixes, sums) =
        unsafe { (Input::new(numbers, n), Global::new(prefixes, n), Global::new(sums, grid_dim().x)) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let warp_sums = unsafe { shared!([u32; WARP as usize]) };
    let t = thread_idx().x; // [0, BLOCK)
    let i = block_idx().x * BLOCK as u32 + t; // [0, n + BLOCK)
    let own = if i < n { numbers[i] } else { 0 }; // behind the last number there are zeros

    let sum = warp_scan(own);
    if t % WARP == WARP - 1 {
        warp_sums.set(t / WARP, sum);
    }
    // the first warp reads the sums of all
    sync_threads();
    if t < WARP {
        let of_warp = if t < warps { warp_sums.get(t) } else { 0 };
        let up_to_warp = warp_scan(of_warp);
        warp_sums.set(t, up_to_warp.wrapping_sub(of_warp));
        if t == warps - 1 {
            sums.set(block_idx().x, up_to_warp);
        }
    }
    // every warp reads the sum of the warps before it
    sync_threads();

    if i < n {
        prefixes.set(i, warp_sums.get(t / WARP).wrapping_add(sum).wrapping_sub(own));
    }
}

kernels! {
    fn (numbers: *const u32, prefixes: *mut u32, sums: *mut u32, n: u32);
    scanShuffle_64 = scan_shuffle::<64>;
    scanShuffle_128 = scan_shuffle::<128>;
    scanShuffle_256 = scan_shuffle::<256>;
    scanShuffle_512 = scan_shuffle::<512>;
    scanShuffle_1024 = scan_shuffle::<1024>;
}
