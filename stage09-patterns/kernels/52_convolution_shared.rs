// convolutionShared in Rust; 52_convolution_shared.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{Global, Input, block_idx, launch_bounds, mul_add, shared, sync_threads, thread_idx, unroll};

const MAX_TAPS: usize = 49;
const WARP: i32 = 32;
const TILE: i32 = WARP; // rows and columns per block
const WARPS: i32 = 8;
const EACH: i32 = TILE / WARPS; // pixels per thread

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Filter {
    taps: [f32; MAX_TAPS],
}

/// Returns the index of a word.
fn place(row: i32, column: i32, n: i32, pitch: i32) -> u32 {
    let place = (row * pitch + column) as u32;
    // SAFETY: the row is below n, and the column below the pitch
    unsafe { assert_unchecked(place < (n * pitch) as u32) };
    place
}

/// Returns a pixel, or 0 outside of the input.
fn pixel(input: Input<'_, f32>, row: i32, column: i32, n: i32, pitch: i32) -> f32 {
    let is_inside = row >= 0 && row < n && column >= 0 && column < n;
    if is_inside { input[place(row, column, n, pitch)] } else { 0.0 }
}

/// Convolves a tile, which has `WORDS` pixels with its halo.
#[inline(always)]
unsafe fn convolve<const RADIUS: i32, const WORDS: usize>(
    input: *const f32,
    output: *mut f32,
    n: i32,
    pitch: i32,
    filter: Filter,
) {
    let side = 2 * RADIUS + 1;
    let wide = TILE + 2 * RADIUS; // with the halo
    // SAFETY: the image has n rows of this pitch, and no thread writes them
    let input = unsafe { Input::new(input, (n * pitch) as u32) };
    // SAFETY: as many, each written by one thread
    let output = unsafe { Global::new(output, (n * pitch) as u32) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let tile = unsafe { shared!([f32; WORDS]) };
    let word = |y: i32, x: i32| {
        let word = (y * wide + x) as u32;
        // SAFETY: both are below `wide`
        unsafe { assert_unchecked((word as usize) < WORDS) };
        word
    };
    let (lane, warp) = (thread_idx().x as i32 % WARP, thread_idx().x as i32 / WARP);
    let (first_row, first_column) = (block_idx().y as i32 * TILE, block_idx().x as i32 * TILE);
    let mut y = warp;
    while y < wide {
        let (row, column) = (first_row + y - RADIUS, first_column + lane - RADIUS);
        tile.set(word(y, lane), pixel(input, row, column, n, pitch));
        if lane < wide - WARP {
            tile.set(word(y, WARP + lane), pixel(input, row, WARP + column, n, pitch));
        }
        y += WARPS;
    }
    // the pixels around were stored by other warps
    sync_threads();

    for each in 0..EACH {
        unroll(EACH as usize);
        let y = each * WARPS + warp;
        let (row, column) = (first_row + y, first_column + lane);
        if row >= n || column >= n {
            return;
        }
        let mut sum = 0.0;
        for j in 0..side {
            unroll(7);
            for i in 0..side {
                unroll(7);
                sum = mul_add(filter.taps[(j * side + i) as usize], tile.get(word(y + j, lane + i)), sum);
            }
        }
        output.set(place(row, column, n, pitch), sum);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn convolutionShared_1(
    input: *const f32,
    output: *mut f32,
    n: i32,
    pitch: i32,
    filter: Filter,
) {
    launch_bounds(256);
    // SAFETY: the launch meets the function's requirements.
    unsafe { convolve::<1, { 34 * 34 }>(input, output, n, pitch, filter) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn convolutionShared_3(
    input: *const f32,
    output: *mut f32,
    n: i32,
    pitch: i32,
    filter: Filter,
) {
    launch_bounds(256);
    // SAFETY: the launch meets the function's requirements.
    unsafe { convolve::<3, { 38 * 38 }>(input, output, n, pitch, filter) }
}
