// sortLocal in Rust; 23_sort_local.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, WARP, ballot, block_idx, grid_dim, launch_bounds, shared, shuffle, sync_threads,
    sync_warp, thread_idx, unroll,
};

const BLOCK: u32 = 256;
const WARPS: usize = (BLOCK / WARP) as usize;
const ROWS: usize = 16; // keys per thread
const TILE: u32 = BLOCK * ROWS as u32;
const BITS: usize = 4; // of a digit
const BINS: u32 = 1 << BITS;

/// Returns the lanes with the same digit. All 32 lanes must call it.
#[inline(always)]
fn match_digit(digit: u32) -> u32 {
    let mut same = ALL_LANES;
    for bit in 0..BITS {
        unroll(BITS);
        let is_set = digit >> bit & 1 != 0;
        let set = ballot(ALL_LANES, is_set);
        same &= if is_set { set } else { !set };
    }
    same
}

/// Returns the sum of `value` over the lanes up to this one. All 32 lanes must call it.
#[inline(always)]
fn warp_scan(mut value: u32) -> u32 {
    let lane = thread_idx().x % WARP;
    for apart in [1, 2, 4, 8, 16] {
        let before = shuffle(ALL_LANES, value, lane.wrapping_sub(apart));
        if lane >= apart {
            value += before;
        }
    }
    value
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sortLocal(
    keys: *const u32,
    sorted: *mut u32,
    starts: *const u32,
    n: u32,
    shift: u32,
) {
    launch_bounds(BLOCK as usize);
    // SAFETY: there are n keys and starts for each digit and tile, which no thread writes; each place is of one key
    let (keys, sorted, starts) =
        unsafe { (Input::new(keys, n), Global::new(sorted, n), Input::new(starts, BINS * grid_dim().x)) };
    // SAFETY: barriers separate the writes of an element from other accesses, but for additions, which are atomic
    let places = unsafe { shared!([u32; WARPS * BINS as usize]) }; // first counts, then the place of the next key in the tile
    // SAFETY: likewise
    let (moves, tile) = unsafe { (shared!([u32; BINS as usize]), shared!([u32; TILE as usize])) };
    let t = thread_idx().x; // [0, BLOCK)
    let (lane, warp) = (t % WARP, t / WARP);
    let below = (1_u32 << lane) - 1; // the lanes before this one
    let first = block_idx().x * TILE + warp * ROWS as u32 * WARP + lane;

    let own = places.part(warp * BINS, BINS);
    if lane < BINS {
        own.set(lane, 0);
    }
    // all lanes count
    sync_warp(ALL_LANES);
    let mut key = [0; ROWS];
    for row in 0..ROWS {
        unroll(ROWS);
        let i = first + row as u32 * WARP;
        key[row] = if i < n { keys[i] } else { u32::MAX }; // behind the last key: no place before a key of the tile
        own.fetch_add(key[row] >> shift & (BINS - 1), 1);
    }
    // a lane of the first warp for each digit reads the counts of all warps
    sync_threads();
    if warp == 0 {
        let mut count = [0; WARPS];
        let mut sum = 0;
        for w in 0..WARPS {
            unroll(WARPS);
            count[w] = if lane < BINS { places.get(w as u32 * BINS + lane) } else { 0 };
            sum += count[w];
        }
        let mut place = warp_scan(sum) - sum;
        if lane < BINS {
            // from the place in the tile to that in sorted, modulo 2^32
            moves.set(lane, starts[lane * grid_dim().x + block_idx().x].wrapping_sub(place));
            for w in 0..WARPS {
                unroll(WARPS);
                places.set(w as u32 * BINS + lane, place);
                place += count[w];
            }
        }
    }
    // each warp reads its places
    sync_threads();

    for row in 0..ROWS {
        unroll(ROWS);
        let digit = key[row] >> shift & (BINS - 1);
        let same = match_digit(digit);
        let place = own.get(digit) + (same & below).count_ones();
        // all lanes have read the places
        sync_warp(ALL_LANES);
        // no lane behind this one has the digit
        if same >> lane == 1 {
            own.set(digit, place + 1);
        }
        // the next row reads them
        sync_warp(ALL_LANES);
        tile.set(place, key[row]);
    }
    // the tile is complete
    sync_threads();
    for row in 0..ROWS {
        unroll(ROWS);
        let place = row as u32 * BLOCK + t;
        let key = tile.get(place);
        if block_idx().x * TILE + place < n {
            sorted.set(moves.get(key >> shift & (BINS - 1)).wrapping_add(place), key);
        }
    }
}
