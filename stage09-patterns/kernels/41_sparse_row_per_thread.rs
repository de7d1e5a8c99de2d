// sparseRowPerThread in Rust; 41_sparse_row_per_thread.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, block_dim, block_idx, mul_add, thread_idx, unroll};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sparseRowPerThread(
    offsets: *const u32,
    columns: *const u32,
    values: *const f32,
    x: *const f32,
    y: *mut f32,
    n: u32,
) {
    let row = block_idx().x * block_dim().x + thread_idx().x;
    if row >= n {
        return;
    }
    // SAFETY: there are n rows, the last offset is the number of elements, and no thread writes these arrays
    let (offsets, x) = unsafe { (Input::new(offsets, n + 1), Input::new(x, n)) };
    let end = offsets[row + 1];
    // SAFETY: as above; the row ends before the last element
    let (columns, values) = unsafe { (Input::new(columns, end), Input::new(values, end)) };
    // SAFETY: each product is written by one thread
    let y = unsafe { Global::new(y, n) };
    let mut sum = 0.0;
    let mut i = offsets[row];
    while i < end {
        unroll(1); // so that lanes with rows of different lengths stay together
        sum = mul_add(values[i], x[columns[i]], sum);
        i += 1;
    }
    y.set(row, sum);
}
