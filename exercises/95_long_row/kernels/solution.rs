#![no_std]
#![feature(abi_ptx)]

use device::{ALL_LANES, Global, Input, block_dim, block_idx, grid_dim, shuffle_down, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn multiply(
    starts: *const u32,
    columns: *const u8,
    values: *const f32,
    x: *const f32,
    y: *mut f32,
    rows: u32,
) {
    // SAFETY: starts has an element more than there are rows; y has one for each row, which one thread writes
    let (starts, x, y) = unsafe { (Input::new(starts, rows + 1), Input::new(x, 256_u32), Global::new(y, rows)) };
    // SAFETY: the last of the starts is the number of elements of the matrix
    let (columns, values) = unsafe { (Input::new(columns, starts[rows]), Input::new(values, starts[rows])) };
    let t = block_idx().x * block_dim().x + thread_idx().x;
    let threads = grid_dim().x * block_dim().x;
    // >>> your code
    let lane = t % 32;
    for row in (t / 32..rows).step_by(threads as usize / 32) {
        let mut sum = 0.0;
        for k in (starts[row] + lane..starts[row + 1]).step_by(32) {
            sum += values[k] * x[u32::from(columns[k])];
        }
        for delta in [16, 8, 4, 2, 1] {
            sum += shuffle_down(ALL_LANES, sum, delta);
        }
        if lane == 0 {
            y.set(row, sum);
        }
    }
    // <<<
}
