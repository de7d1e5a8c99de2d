// matmulTile in Rust; 03_matmul_tile.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{Global, Input, block_idx, launch_bounds, shared, sync_threads, thread_idx, unroll};

const TILE: u32 = 32; // rows and columns of c per block, and terms per tile

/// Returns the index of an element of a row-major matrix of `n` columns.
fn place(row: u32, column: u32, n: u32) -> u32 {
    let place = row * n + column;
    // SAFETY: both coordinates are below n
    unsafe { assert_unchecked(place < n * n) };
    place
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn matmulTile(a: *const f32, b: *const f32, c: *mut f32, n: u32) {
    launch_bounds(1024);
    // SAFETY: the matrices have n rows of n elements, and no thread writes them
    let (a, b) = unsafe { (Input::new(a, n * n), Input::new(b, n * n)) };
    // SAFETY: the matrix has n rows of n elements, each written by one thread
    let c = unsafe { Global::new(c, n * n) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let (tile_a, tile_b) = unsafe { (shared!([f32; (TILE * TILE) as usize]), shared!([f32; (TILE * TILE) as usize])) };
    let (x, y) = (thread_idx().x % TILE, thread_idx().x / TILE); // in the tile
    let (row, column) = (block_idx().y * TILE + y, block_idx().x * TILE + x);

    let mut sum = 0.0;
    for first in (0..n).step_by(TILE as usize) {
        // past n: 0, which adds nothing
        tile_a.set(y * TILE + x, if row < n && first + x < n { a[place(row, first + x, n)] } else { 0.0 });
        tile_b.set(y * TILE + x, if column < n && first + y < n { b[place(first + y, column, n)] } else { 0.0 });
        // the tiles must be complete before any thread reads them
        sync_threads();

        for k in 0..TILE {
            unroll(TILE as usize);
            sum += tile_a.get(y * TILE + k) * tile_b.get(k * TILE + x);
        }
        // a fast warp must not overwrite the tiles while slower warps still read them
        sync_threads();
    }
    if row < n && column < n {
        c.set(place(row, column, n), sum);
    }
}
