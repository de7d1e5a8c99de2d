// sortSplit in Rust; 21_sort_split.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, WARP, ballot, block_idx, grid_dim, launch_bounds, shared, sync_threads, thread_idx,
    unroll,
};

const BLOCK: u32 = 256;
const WARPS: usize = (BLOCK / WARP) as usize;
const ROWS: usize = 16; // keys per thread
const TILE: u32 = BLOCK * ROWS as u32;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sortSplit(
    keys: *const u32,
    sorted: *mut u32,
    starts: *const u32,
    n: u32,
    shift: u32,
) {
    launch_bounds(BLOCK as usize);
    // SAFETY: there are n keys and two starts for each tile, which no thread writes; each place is of one key
    let (keys, sorted, starts) =
        unsafe { (Input::new(keys, n), Global::new(sorted, n), Input::new(starts, 2 * grid_dim().x)) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let set_in = unsafe { shared!([u32; WARPS]) };
    let (lane, warp) = (thread_idx().x % WARP, thread_idx().x / WARP);
    let below = (1_u32 << lane) - 1; // the lanes before this one
    let in_tile = warp * ROWS as u32 * WARP + lane;
    let first = block_idx().x * TILE + in_tile;

    let mut key = [0; ROWS];
    let mut set = [0_u32; ROWS];
    let mut sum = 0;
    for row in 0..ROWS {
        unroll(ROWS);
        let i = first + row as u32 * WARP;
        key[row] = if i < n { keys[i] } else { u32::MAX }; // behind the last key: no place before a key of the tile
        set[row] = ballot(ALL_LANES, key[row] >> shift & 1 != 0);
        sum += set[row].count_ones();
    }
    if lane == 0 {
        set_in.set(warp, sum);
    }
    // each warp reads the sums of those before it
    sync_threads();

    let mut before = 0; // keys of the tile before the row that have the bit set
    for w in 0..warp {
        before += set_in.get(w);
    }
    let (start_clear, start_set) = (starts[block_idx().x], starts[grid_dim().x + block_idx().x]);
    for row in 0..ROWS {
        unroll(ROWS);
        let rank = before + (set[row] & below).count_ones();
        let is_set = key[row] >> shift & 1 != 0;
        let place = if is_set { start_set + rank } else { start_clear + in_tile + row as u32 * WARP - rank };
        if first + row as u32 * WARP < n {
            sorted.set(place, key[row]);
        }
        before += set[row].count_ones();
    }
}
