// must fail with results:
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_dim, block_idx, fast_exp2, fast_log2, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn logarithms(data: *const f32, out: *mut f32, terms: u32, rows: u32) {
    let (terms, rows) = (terms as usize, rows as usize);
    // SAFETY: data has terms * rows elements, and out one per row, which one thread writes
    let (data, out) = unsafe { (from_raw_parts(data, terms * rows), Global::new(out, rows)) };
    let row = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    if row >= rows {
        return;
    }
    let (mut largest, mut sum) = (-3.4e38_f32, 0.0_f32);
    for j in 0..terms {
        let x = 300.0 * data[j * rows + row];
        // >>> your code
        let next = if j == 0 { x.max(0.0) } else { largest.max(x) };
        sum = sum * fast_exp2(largest - next) + fast_exp2(x - next);
        largest = next;
        // <<<
    }
    out.set(row, largest + fast_log2(sum));
}
