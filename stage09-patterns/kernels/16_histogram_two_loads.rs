// histogramTwoLoads in Rust; 16_histogram_two_loads.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, Int4, Shared, WARP, block_dim, block_idx, grid_dim, shared, sync_threads, thread_idx};

const BINS: u32 = 256;
const EACH: u32 = 16; // bytes per load

/// Counts the four bytes of a word. The same lanes of other warps add to `own` at the same time.
#[inline(always)]
fn count_word(own: Shared<u32>, word: i32) {
    for byte in word.to_le_bytes() {
        own.fetch_add(u32::from(byte) * WARP, 1);
    }
}

#[inline(always)]
fn count(own: Shared<u32>, group: Int4) {
    count_word(own, group.x);
    count_word(own, group.y);
    count_word(own, group.z);
    count_word(own, group.w);
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn histogramTwoLoads(data: *const u8, bins: *mut u32, n: u32) {
    let block = block_dim().x;
    let t = thread_idx().x; // [0, block)
    // SAFETY: there are n bytes, and no thread writes them
    let (groups, data) = unsafe { (Input::new(data.cast::<Int4>(), n / EACH), Input::new(data, n)) };
    // SAFETY: there is a bin for each value of a byte, and all threads add to them atomically
    let bins = unsafe { Global::new(bins, BINS) };
    // SAFETY: threads add to the elements atomically, and barriers separate that from other accesses
    let copies = unsafe { shared!([u32; (BINS * WARP) as usize]) };
    let mut b = t;
    while b < BINS * WARP {
        copies.set(b, 0);
        b += block;
    }
    // the threads of other warps add to these bins
    sync_threads();

    let own = copies.part(t % WARP, BINS * WARP - t % WARP);
    let step = grid_dim().x * block;
    let first = block_idx().x * block + t; // [0, step)
    let mut i = first;
    while i + step < n / EACH {
        let (one, other) = (groups[i], groups[i + step]);
        count(own, one);
        count(own, other);
        i += 2 * step;
    }
    if i < n / EACH {
        count(own, groups[i]);
    }

    // the bytes past the last whole group, which are fewer than the threads
    let past = n / EACH * EACH + first;
    if past < n {
        own.fetch_add(u32::from(data[past]) * WARP, 1);
    }

    // the copies contain the additions of all threads
    sync_threads();
    let mut b = t;
    while b < BINS {
        let mut sum = 0;
        for k in 0..WARP {
            sum += copies.get(b * WARP + (k + b) % WARP);
        }
        bins.fetch_add(b, sum);
        b += block;
    }
}
