// sparseRowPerWarp in Rust; 42_sparse_row_per_warp.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{ALL_LANES, Global, Input, WARP, block_dim, block_idx, mul_add, shuffle_xor, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sparseRowPerWarp(
    offsets: *const u32,
    columns: *const u32,
    values: *const f32,
    x: *const f32,
    y: *mut f32,
    n: u32,
) {
    let row = (block_idx().x * block_dim().x + thread_idx().x) / WARP;
    let lane = thread_idx().x % WARP;
    if row >= n {
        return;
    }
    // SAFETY: there are n rows, the last offset is the number of elements, and no thread writes these arrays
    let (offsets, x) = unsafe { (Input::new(offsets, n + 1), Input::new(x, n)) };
    let end = offsets[row + 1];
    // SAFETY: as above; the row ends before the last element
    let (columns, values) = unsafe { (Input::new(columns, end), Input::new(values, end)) };
    // SAFETY: each product is written by one lane
    let y = unsafe { Global::new(y, n) };
    let mut sum = 0.0;
    let mut i = offsets[row] + lane;
    while i < end {
        sum = mul_add(values[i], x[columns[i]], sum);
        i += WARP;
    }
    for mask in [16, 8, 4, 2, 1] {
        sum += shuffle_xor(ALL_LANES, sum, mask);
    }
    if lane == 0 {
        y.set(row, sum);
    }
}
