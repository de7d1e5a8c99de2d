// histogramGlobal in Rust; 11_histogram_global.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, block_dim, block_idx, grid_dim, thread_idx};

const BINS: usize = 256;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn histogramGlobal(data: *const u8, bins: *mut u32, n: u32) {
    // SAFETY: there are n bytes, and no thread writes them
    let data = unsafe { Input::new(data, n) };
    // SAFETY: there is a bin for each value of a byte, and all threads add to them atomically
    let bins = unsafe { Global::new(bins, BINS) };
    let step = grid_dim().x * block_dim().x;
    let mut i = block_idx().x * block_dim().x + thread_idx().x; // [0, step), then one step further in each round
    while i < n {
        bins.fetch_add(u32::from(data[i]), 1);
        i += step;
    }
}
