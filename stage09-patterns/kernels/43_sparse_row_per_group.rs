// sparseRowPerGroup in Rust; 43_sparse_row_per_group.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{ALL_LANES, Global, Input, block_dim, block_idx, mul_add, shuffle_xor, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sparseRowPerGroup(
    offsets: *const u32,
    columns: *const u32,
    values: *const f32,
    x: *const f32,
    y: *mut f32,
    n: u32,
    lanes: u32,
) {
    // SAFETY: there are n rows, and no thread writes these arrays
    let (offsets, x) = unsafe { (Input::new(offsets, n + 1), Input::new(x, n)) };
    // SAFETY: each product is written by one lane
    let y = unsafe { Global::new(y, n) };
    let shift = lanes.trailing_zeros(); // instead of divisions by a power of two
    let row = block_idx().x * (block_dim().x >> shift) + (thread_idx().x >> shift);
    let lane = thread_idx().x & (lanes - 1);
    let (begin, end) = if row < n { (offsets[row], offsets[row + 1]) } else { (0, 0) };
    // SAFETY: as above; the last offset is the number of elements, and the row ends before that
    let (columns, values) = unsafe { (Input::new(columns, end), Input::new(values, end)) };
    let mut sum = 0.0;
    let mut i = begin + lane;
    while i < end {
        sum = mul_add(values[i], x[columns[i]], sum);
        i += lanes;
    }
    let mut mask = lanes / 2;
    while mask > 0 {
        sum += shuffle_xor(ALL_LANES, sum, mask);
        mask /= 2;
    }
    if lane == 0 && row < n {
        y.set(row, sum);
    }
}
