// heatRows in Rust; 33_heat_rows.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{ALL_LANES, Float4, Global, Input, WARP, block_dim, block_idx, mul_add, shuffle, thread_idx, unroll};

const EACH: i32 = 4; // columns per thread
const ROWS: i32 = 2; // rows per warp
const STRIP: i32 = WARP as i32 * EACH; // columns per warp

fn step_cell(cell: f32, above: f32, below: f32, left: f32, right: f32, rate: f32) -> f32 {
    mul_add(rate, mul_add(-4.0, cell, (above + below) + (left + right)), cell)
}

/// Returns the four cells after a step; `left` and `right` are beside them. With a rate of 0, a cell keeps its value.
fn step(cells: Float4, above: Float4, below: Float4, left: f32, right: f32, rates: Float4) -> Float4 {
    Float4::new(
        step_cell(cells.x, above.x, below.x, left, cells.y, rates.x),
        step_cell(cells.y, above.y, below.y, cells.x, cells.z, rates.y),
        step_cell(cells.z, above.z, below.z, cells.y, cells.w, rates.z),
        step_cell(cells.w, above.w, below.w, cells.z, right, rates.w),
    )
}

/// Returns the rates of a group of columns: 0 on the border. Only the first of a group can be on the left one.
fn rates_of(column: i32, n: i32, rate: f32) -> Float4 {
    let rate_of = |column: i32| if column < n - 1 { rate } else { 0.0 };
    let first = if column == 0 { 0.0 } else { rate_of(column) };
    Float4::new(first, rate_of(column + 1), rate_of(column + 2), rate_of(column + 3))
}

/// Returns the index of a word, or of a group of words if `row` and `column` count these.
fn place(row: i32, column: i32, pitch: i32, words: i32) -> u32 {
    let place = (row * pitch + column) as u32;
    // SAFETY: the row is below n, and the column below the pitch
    unsafe { assert_unchecked(place < words as u32) };
    place
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn heatRows(input: *const f32, output: *mut f32, n: i32, pitch: i32, rate: f32) {
    let groups_each = pitch / EACH; // per row
    // SAFETY: the grid has n rows of this pitch, and no thread writes them
    let (groups, input) = unsafe {
        (Input::new(input.cast::<Float4>(), (n * groups_each) as u32), Input::new(input, (n * pitch) as u32))
    };
    // SAFETY: as many groups, each written by one thread
    let output = unsafe { Global::new(output.cast::<Float4>(), (n * groups_each) as u32) };
    let lane = thread_idx().x % WARP;
    let column = block_idx().x as i32 * STRIP + lane as i32 * EACH;
    let first = ((block_idx().y * block_dim().x + thread_idx().x) / WARP) as i32 * ROWS; // row
    let rates = rates_of(column, n, rate);
    // beyond the grid: any cells, as no other depends on them
    let own = column.min(n - 1) / EACH;
    let beside = (if lane == 0 { column - 1 } else { column + EACH }).max(0).min(n - 1);
    let is_outer = (lane + 1) % WARP < 2; // the first lane or the last

    // all loads, before the first is waited for; row k is row first - 1 + k of the grid
    let mut rows = [Float4::default(); ROWS as usize + 2];
    for k in 0..ROWS + 2 {
        unroll(ROWS as usize + 2);
        let row = (first - 1 + k).max(0).min(n - 1);
        rows[k as usize] = groups[place(row, own, groups_each, n * groups_each)];
    }
    let mut neighbors = [0.0; ROWS as usize]; // of the first lane to the left, of the last to the right
    for k in 0..ROWS {
        unroll(ROWS as usize);
        if is_outer {
            neighbors[k as usize] = input[place((first + k).min(n - 1), beside, pitch, n * pitch)];
        }
    }

    for k in 0..ROWS as usize {
        unroll(ROWS as usize);
        let row = first + k as i32;
        let cells = rows[k + 1];
        let mut left = shuffle(ALL_LANES, cells.w, lane.wrapping_sub(1));
        let mut right = shuffle(ALL_LANES, cells.x, lane + 1);
        if lane == 0 {
            left = neighbors[k];
        }
        if lane == WARP - 1 {
            right = neighbors[k];
        }
        let next = step(cells, rows[k], rows[k + 2], left, right, rates);
        if row < n && column < n {
            let next = if row == 0 || row == n - 1 { cells } else { next };
            output.set(place(row, column / EACH, groups_each, n * groups_each), next);
        }
    }
}
