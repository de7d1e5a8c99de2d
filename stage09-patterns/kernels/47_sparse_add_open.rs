// sparseAddOpen in Rust; 47_sparse_add_open.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, block_dim, block_idx, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sparseAddOpen(
    open_rows: *const u32,
    open_sums: *const f32,
    y: *mut f32,
    n: u32,
    blocks: u32,
) {
    // SAFETY: there are so many blocks, and no thread writes these arrays
    let (open_rows, open_sums) = unsafe { (Input::new(open_rows, blocks), Input::new(open_sums, blocks)) };
    // SAFETY: each product is used by one thread
    let y = unsafe { Global::new(y, n) };
    let first = block_idx().x * block_dim().x + thread_idx().x;
    if first >= blocks {
        return;
    }
    let row = open_rows[first];
    if row >= n || first > 0 && open_rows[first - 1] == row {
        return;
    }
    let mut sum = 0.0;
    let mut b = first;
    while b < blocks && open_rows[b] == row {
        sum += open_sums[b];
        b += 1;
    }
    y.set(row, y.get(row) + sum);
}
