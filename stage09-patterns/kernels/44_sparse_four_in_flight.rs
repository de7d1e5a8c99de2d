// sparseFourInFlight in Rust; 44_sparse_four_in_flight.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{ALL_LANES, Global, Input, block_dim, block_idx, mul_add, shuffle_xor, thread_idx, unroll};

const EACH: usize = 4; // elements per lane in flight

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sparseFourInFlight(
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
        unroll(1);
        let mut column = [0; EACH];
        let mut value = [0.0; EACH];
        for k in 0..EACH {
            unroll(EACH);
            let place = i + k as u32 * lanes;
            if place < end {
                column[k] = columns[place];
                value[k] = values[place];
            }
        }
        for k in 0..EACH {
            unroll(EACH);
            if i + (k as u32 * lanes) < end {
                sum = mul_add(value[k], x[column[k]], sum);
            }
        }
        i += EACH as u32 * lanes;
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
