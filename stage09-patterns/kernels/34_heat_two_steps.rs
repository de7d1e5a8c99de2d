// heatTwoSteps in Rust; 34_heat_two_steps.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{ALL_LANES, Float4, Global, Input, WARP, block_dim, block_idx, mul_add, shuffle, thread_idx, unroll};

const EACH: i32 = 4; // columns per thread
const ROWS: i32 = 4; // rows per warp
const STRIP: i32 = (WARP as i32 - 2) * EACH; // columns per warp that are stored

fn step_cell(cell: f32, above: f32, below: f32, left: f32, right: f32, rate: f32) -> f32 {
    mul_add(rate, mul_add(-4.0, cell, (above + below) + (left + right)), cell)
}

/// Returns the rates of a group of columns: 0 on the border. Only the first of a group can be on the left one.
fn rates_of(column: i32, n: i32, rate: f32) -> Float4 {
    let rate_of = |column: i32| if column < n - 1 { rate } else { 0.0 };
    let first = if column == 0 { 0.0 } else { rate_of(column) };
    Float4::new(first, rate_of(column + 1), rate_of(column + 2), rate_of(column + 3))
}

/// Returns a row's cells after a step, of which the first lane's first and the last lane's last are wrong. With a rate of 0, a cell
/// keeps its value.
fn step(cells: Float4, above: Float4, below: Float4, rates: Float4, is_border: bool) -> Float4 {
    let lane = thread_idx().x % WARP;
    let left = shuffle(ALL_LANES, cells.w, lane.wrapping_sub(1));
    let right = shuffle(ALL_LANES, cells.x, lane + 1);
    let next = Float4::new(
        step_cell(cells.x, above.x, below.x, left, cells.y, rates.x),
        step_cell(cells.y, above.y, below.y, cells.x, cells.z, rates.y),
        step_cell(cells.z, above.z, below.z, cells.y, cells.w, rates.z),
        step_cell(cells.w, above.w, below.w, cells.z, right, rates.w),
    );
    if is_border { cells } else { next }
}

/// Returns the index of a group of words.
fn place(row: i32, group: i32, groups_each: i32, groups: i32) -> u32 {
    let place = (row * groups_each + group) as u32;
    // SAFETY: the row is below n, and the group below that of a row's end
    unsafe { assert_unchecked(place < groups as u32) };
    place
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn heatTwoSteps(input: *const f32, output: *mut f32, n: i32, pitch: i32, rate: f32) {
    let groups_each = pitch / EACH; // per row
    // SAFETY: the grid has n rows of this pitch, and no thread writes them
    let input = unsafe { Input::new(input.cast::<Float4>(), (n * groups_each) as u32) };
    // SAFETY: as many groups, each written by one thread
    let output = unsafe { Global::new(output.cast::<Float4>(), (n * groups_each) as u32) };
    let lane = thread_idx().x as i32 % WARP as i32;
    let column = block_idx().x as i32 * STRIP + (lane - 1) * EACH;
    let first = ((block_idx().y * block_dim().x + thread_idx().x) / WARP) as i32 * ROWS; // row
    let rates = rates_of(column, n, rate);
    // beyond the grid: any cells, as no other depends on them
    let own = column.max(0).min(n - 1) / EACH;
    let is_stored = lane > 0 && lane < WARP as i32 - 1 && column < n;

    // all loads, before the first is waited for; row k is row first - 2 + k of the grid
    let mut rows = [Float4::default(); ROWS as usize + 4];
    for k in 0..ROWS + 4 {
        unroll(ROWS as usize + 4);
        let row = (first - 2 + k).max(0).min(n - 1);
        rows[k as usize] = input[place(row, own, groups_each, n * groups_each)];
    }

    let mut between = [Float4::default(); ROWS as usize + 2]; // after one step; row k is row first - 1 + k
    for k in 0..ROWS as usize + 2 {
        unroll(ROWS as usize + 2);
        let below = first - 1 + k as i32;
        let row = below - 1;
        between[k] = step(rows[k + 1], rows[k], rows[k + 2], rates, below == 0 || below == n - 1);
        if k < 2 {
            continue;
        }
        let next = step(between[k - 1], between[k - 2], between[k], rates, row == 0 || row == n - 1);
        if is_stored && row < n {
            output.set(place(row, column / EACH, groups_each, n * groups_each), next);
        }
    }
}
