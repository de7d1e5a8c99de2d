// histogramPerWarp in Rust; 13_histogram_per_warp.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, WARP, block_dim, block_idx, dynamic_shared, grid_dim, sync_threads, thread_idx};

const BINS: u32 = 256;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn histogramPerWarp(data: *const u8, bins: *mut u32, n: u32) {
    let block = block_dim().x;
    let t = thread_idx().x; // [0, block)
    let warps = block / WARP;
    // SAFETY: there are n bytes, and no thread writes them
    let data = unsafe { Input::new(data, n) };
    // SAFETY: there is a bin for each value of a byte, and all threads add to them atomically
    let bins = unsafe { Global::new(bins, BINS) };
    // SAFETY: the launch has so many words; threads add to them atomically, and barriers separate that from other accesses
    let copies = unsafe { dynamic_shared::<u32>(warps * BINS) };
    let mut b = t;
    while b < warps * BINS {
        copies.set(b, 0);
        b += block;
    }
    // the threads of other warps add to these bins
    sync_threads();

    let own = copies.part(t / WARP * BINS, BINS);
    let step = grid_dim().x * block;
    let mut i = block_idx().x * block + t; // [0, step), then one step further in each round
    while i < n {
        own.fetch_add(u32::from(data[i]), 1);
        i += step;
    }

    // the copies contain the additions of all threads
    sync_threads();
    let mut b = t;
    while b < BINS {
        let mut sum = 0;
        for warp in 0..warps {
            sum += copies.get(warp * BINS + b);
        }
        bins.fetch_add(b, sum);
        b += block;
    }
}
