// sortPairs in Rust; 27_sort_pairs.cu has the card.
#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use device::{
    ALL_LANES, Global, Input, Shared, UInt2, WARP, dynamic_shared, launch_bounds, resident_blocks, shared, shuffle,
    sync_threads, sync_warp, thread_idx, unroll,
};

const THREADS: usize = 768; // at least so many are on a multiprocessor, with 85 registers each
const ROWS: usize = 23; // pairs per thread
const BITS: usize = 8; // of a digit
const BINS: u32 = 1 << BITS;
const PASSES: u32 = 4;
const STATES: u32 = 2 * BINS; // of a tile
const LOOKS: usize = 4; // loads in flight

/// Returns the lanes with the same digit. All 32 lanes must call it.
#[inline(always)]
fn match_digit(digit: u32) -> u32 {
    let mut same = ALL_LANES;
    for bit in 0..BITS {
        unroll(BITS);
        // a vote, inverted by the lanes with the bit clear: the compiler would take twice as many instructions
        let same_bit: u32;
        // SAFETY: it changes nothing but its result
        unsafe {
            asm!(
                "{{",
                ".reg .pred set;",
                "setp.ne.u32 set, {bit}, 0;",
                "vote.sync.ballot.b32 {same}, set, 0xffffffff;",
                "@!set not.b32 {same}, {same};",
                "}}",
                bit = in(reg32) digit & 1 << bit,
                same = out(reg32) same_bit,
                options(nomem, nostack, preserves_flags),
            );
        }
        same &= same_bit;
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

// The state of a digit in a tile, in the upper two bits of its word. The other bits are a number of keys, and both are
// stored by one instruction: so who sees the state has the number, and no order of other accesses is needed.
const OF_TILE: u32 = 1 << 30; // the keys of the tile with the digit
const OF_ALL: u32 = 2 << 30; // the place in sorted behind the last of these
const NUMBER: u32 = OF_TILE - 1;

/// Returns the word at an index.
///
/// # Safety
/// It must exist during the launch, and all threads must access it atomically.
unsafe fn word_at<'a>(words: *mut u32, index: u32) -> &'a AtomicU32 {
    // SAFETY: the caller's promise
    unsafe { AtomicU32::from_ptr(words.add(index as usize)) }
}

/// Returns the place in `sorted` of the first of `count` keys of a tile with the own digit, and publishes the place behind the
/// last one. `start` is the place of the digit's first key of all.
///
/// # Safety
/// `states` are those of the digit, see [`word_at`].
#[inline(always)]
unsafe fn look_back(start: u32, states: *mut u32, tile: u32, count: u32) -> u32 {
    // SAFETY: the caller's promise, for this tile and those before it
    let word_of = |tile: u32| unsafe { word_at(states, tile * STATES) };
    let mut is_known = tile == 0;
    let mut place = if is_known { start } else { 0 };
    let mut last = tile as i32 - 1;
    while !is_known {
        let mut word = [0; LOOKS];
        for k in 0..LOOKS {
            unroll(LOOKS);
            word[k] = word_of((last - k as i32).max(0) as u32).load(Relaxed);
        }
        for k in 0..LOOKS {
            unroll(LOOKS);
            if word[k] == 0 || is_known {
                break;
            }
            place += word[k] & NUMBER;
            is_known = word[k] >= OF_ALL; // as that of the first tile, if it is not 0
            last -= 1;
        }
    }
    word_of(tile).store(OF_ALL | (place + count), Relaxed);
    place
}

#[inline(always)]
unsafe fn sort_pairs<const BLOCK: usize, const WARPS: usize>(
    [keys, values]: [*const u32; 2],
    [sorted, sorted_values]: [*mut u32; 2],
    words: *mut u32,
    states: *mut u32,
    n: u32,
    pass: u32,
) {
    const { assert!(WARPS == BLOCK / WARP as usize) };
    let tile_size = (BLOCK * ROWS) as u32;
    let block = BLOCK as u32;
    // SAFETY: there are n keys and values, which no thread writes
    let (keys, values) = unsafe { (Input::new(keys, n), Input::new(values, n)) };
    // SAFETY: each place is of one pair
    let (sorted, sorted_values) = unsafe { (Global::new(sorted, n), Global::new(sorted_values, n)) };
    // SAFETY: for each pass there is a start of each digit, and no thread writes them
    let starts = unsafe { Input::new(words, PASSES * BINS) };
    // SAFETY: the launch has so much; barriers separate the writes of an element from other accesses, but for additions
    let all: Shared<u32> = unsafe { dynamic_shared(2 * tile_size + WARPS as u32 * BINS) };
    // SAFETY: likewise; these are its first words
    let tile: Shared<UInt2> = unsafe { dynamic_shared(tile_size) }; // keys and values
    let places = all.part(2 * tile_size, WARPS as u32 * BINS); // as in 23
    // SAFETY: barriers separate the writes of an element from accesses by other threads
    let (moves, sums) = unsafe { (shared!([u32; BINS as usize]), shared!([u32; (BINS / WARP) as usize])) };
    // SAFETY: likewise
    let taken = unsafe { shared!([u32; 1]) };
    let t = thread_idx().x; // [0, BLOCK)
    let (lane, warp) = (t % WARP, t / WARP);
    let below = (1_u32 << lane) - 1; // the lanes before this one

    // blocks may start in any order; the tiles of those that have started are taken from the first on
    if t == 0 {
        // SAFETY: there is a word for each pass behind the starts, and all threads access it atomically
        taken.set(0, unsafe { word_at(words, PASSES * BINS + pass) }.fetch_add(1, Relaxed));
    }
    let own = places.part(warp * BINS, BINS);
    for k in 0..BINS / WARP {
        unroll((BINS / WARP) as usize);
        own.set(k * WARP + lane, 0);
    }
    sync_threads();
    let own_tile = taken.get(0); // [0, grid)
    let first = own_tile * tile_size + warp * ROWS as u32 * WARP + lane;
    // of the first tile, if t is a digit
    let states_of = |pass: u32| states.wrapping_add((pass % 2 * BINS + t) as usize);
    let (now, next) = (states_of(pass), states_of(pass + 1));

    let (mut key, mut value) = ([0; ROWS], [0; ROWS]);
    for row in 0..ROWS {
        unroll(ROWS);
        let i = first + row as u32 * WARP;
        key[row] = if i < n { keys[i] } else { u32::MAX }; // behind the last key: no place before a key of the tile
        value[row] = if i < n { values[i] } else { 0 };
    }
    let mut shift = 8 * pass;
    for row in 0..ROWS {
        unroll(ROWS);
        own.fetch_add(key[row] >> shift & (BINS - 1), 1);
    }
    // a thread for each digit reads the counts of all warps
    sync_threads();
    let mut before = [0; WARPS];
    let (mut count, mut up_to_lane) = (0, 0);
    if t < BINS {
        for w in 0..WARPS {
            unroll(WARPS);
            before[w] = count;
            count += places.get(w as u32 * BINS + t);
        }
        if own_tile > 0 {
            // SAFETY: there is a state of the digit in the tile
            unsafe { word_at(now, own_tile * STATES) }.store(OF_TILE | count, Relaxed);
        }
        // SAFETY: likewise, and in this launch no other thread accesses it
        unsafe { *next.add((own_tile * STATES) as usize) = 0 };
        up_to_lane = warp_scan(count);
        if lane == WARP - 1 {
            sums.set(warp, up_to_lane);
        }
    }
    // these threads read the sums
    sync_threads();
    let mut start = up_to_lane - count; // of the digit in the tile
    if t < BINS {
        for w in 0..BINS / WARP - 1 {
            unroll((BINS / WARP) as usize);
            start += if w < warp { sums.get(w) } else { 0 };
        }
        for w in 0..WARPS {
            unroll(WARPS);
            places.set(w as u32 * BINS + t, start + before[w]);
        }
    }
    // each warp reads its places
    sync_threads();

    // or the digits would be kept in registers since they were counted
    // SAFETY: it does nothing
    unsafe { asm!("// {shift}", shift = inout(reg32) shift, options(nomem, nostack, preserves_flags)) };
    for row in 0..ROWS {
        unroll(ROWS);
        let digit = key[row] >> shift & (BINS - 1);
        let same = match_digit(digit);
        let rank = (same & below).count_ones();
        let last = WARP - 1 - same.leading_zeros(); // of these lanes
        let place = if lane == last { own.fetch_add(digit, rank + 1) } else { 0 };
        // the next row follows, though its last lanes are others
        sync_warp(ALL_LANES);
        tile.set(shuffle(ALL_LANES, place, last) + rank, UInt2::new(key[row], value[row]));
    }
    if t < BINS {
        // SAFETY: there is a state of the digit in each tile
        let place = unsafe { look_back(starts[pass * BINS + t], now, own_tile, count) };
        // from the place in the tile to that in sorted, modulo 2^32
        moves.set(t, place.wrapping_sub(start));
    }
    // the tile and the moves are complete
    sync_threads();
    for row in 0..ROWS {
        unroll(ROWS);
        let place = row as u32 * block + t;
        let UInt2 { x: key, y: value } = tile.get(place);
        if own_tile * tile_size + place < n {
            let to = moves.get(key >> shift & (BINS - 1)).wrapping_add(place);
            sorted.set(to, key);
            sorted_values.set(to, value);
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sortPairs_256(
    keys: *const u32,
    values: *const u32,
    sorted: *mut u32,
    sorted_values: *mut u32,
    words: *mut u32,
    states: *mut u32,
    n: u32,
    pass: u32,
) {
    launch_bounds(256);
    resident_blocks(THREADS / 256);
    // SAFETY: the launch meets the function's requirements
    unsafe { sort_pairs::<256, 8>([keys, values], [sorted, sorted_values], words, states, n, pass) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sortPairs_384(
    keys: *const u32,
    values: *const u32,
    sorted: *mut u32,
    sorted_values: *mut u32,
    words: *mut u32,
    states: *mut u32,
    n: u32,
    pass: u32,
) {
    launch_bounds(384);
    resident_blocks(THREADS / 384);
    // SAFETY: the launch meets the function's requirements
    unsafe { sort_pairs::<384, 12>([keys, values], [sorted, sorted_values], words, states, n, pass) }
}
