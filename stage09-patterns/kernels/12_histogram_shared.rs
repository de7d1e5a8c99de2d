// histogramShared in Rust; 12_histogram_shared.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, block_dim, block_idx, grid_dim, shared, sync_threads, thread_idx};

const BINS: u32 = 256;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn histogramShared(data: *const u8, bins: *mut u32, n: u32) {
    // SAFETY: there are n bytes, and no thread writes them
    let data = unsafe { Input::new(data, n) };
    // SAFETY: there is a bin for each value of a byte, and all threads add to them atomically
    let bins = unsafe { Global::new(bins, BINS) };
    // SAFETY: threads add to the elements atomically, and barriers separate that from other accesses
    let own = unsafe { shared!([u32; BINS as usize]) };
    let block = block_dim().x;
    let t = thread_idx().x; // [0, block)
    let mut b = t;
    while b < BINS {
        own.set(b, 0);
        b += block;
    }
    // the other threads add to these bins
    sync_threads();

    let step = grid_dim().x * block;
    let mut i = block_idx().x * block + t; // [0, step), then one step further in each round
    while i < n {
        own.fetch_add(u32::from(data[i]), 1);
        i += step;
    }

    // the bins contain the additions of all threads
    sync_threads();
    let mut b = t;
    while b < BINS {
        bins.fetch_add(b, own.get(b));
        b += block;
    }
}
