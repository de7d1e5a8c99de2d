// heatShared in Rust; 32_heat_shared.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{Global, Input, WARP, block_idx, launch_bounds, mul_add, shared, sync_threads, thread_idx, unroll};

const SIDE: i32 = WARP as i32; // rows and columns per block
const TILE: i32 = SIDE + 2; // with the halo
const WARPS: i32 = 8;
const EACH: i32 = SIDE / WARPS; // cells per thread

/// Returns the index of a word.
fn place(row: i32, column: i32, n: i32, pitch: i32) -> u32 {
    let place = (row * pitch + column) as u32;
    // SAFETY: the row is below n, and the column below the pitch
    unsafe { assert_unchecked(place < (n * pitch) as u32) };
    place
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn heatShared(input: *const f32, output: *mut f32, n: i32, pitch: i32, rate: f32) {
    launch_bounds(256);
    // SAFETY: the grid has n rows of this pitch, and no thread writes them
    let input = unsafe { Input::new(input, (n * pitch) as u32) };
    // SAFETY: as many, each written by one thread
    let output = unsafe { Global::new(output, (n * pitch) as u32) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let tile = unsafe { shared!([f32; (TILE * TILE) as usize]) };
    let (lane, warp) = (thread_idx().x as i32 % SIDE, thread_idx().x as i32 / SIDE);
    // of the tile
    let (first_row, first_column) = (block_idx().y as i32 * SIDE - 1, block_idx().x as i32 * SIDE - 1);
    let mut y = warp;
    while y < TILE {
        // beyond the border: any cells, as no other depends on them
        let row = (first_row + y).max(0).min(n - 1);
        tile.set(y * TILE + lane, input[place(row, (first_column + lane).max(0).min(n - 1), n, pitch)]);
        if lane < TILE - SIDE {
            tile.set(y * TILE + SIDE + lane, input[place(row, (first_column + SIDE + lane).min(n - 1), n, pitch)]);
        }
        y += WARPS;
    }
    // the neighbors were stored by other warps
    sync_threads();

    for each in 0..EACH {
        unroll(EACH as usize);
        let (x, y) = (1 + lane, 1 + each * WARPS + warp); // in the tile
        let (row, column) = (first_row + y, first_column + x);
        let at = |y: i32, x: i32| tile.get(y * TILE + x);
        let mut cell = at(y, x);
        if row > 0 && row < n - 1 && column > 0 && column < n - 1 {
            let (above, below) = (at(y - 1, x), at(y + 1, x));
            let (left, right) = (at(y, x - 1), at(y, x + 1));
            cell = mul_add(rate, mul_add(-4.0, cell, (above + below) + (left + right)), cell);
        }
        if row < n && column < n {
            output.set(place(row, column, n, pitch), cell);
        }
    }
}
