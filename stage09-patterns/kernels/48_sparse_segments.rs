// sparseSegments in Rust; 48_sparse_segments.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, WARP, ballot, block_idx, launch_bounds, load_streaming, resident_blocks, shared, shuffle,
    shuffle_xor, sync_threads, sync_warp, thread_idx, unroll,
};

const EACH: usize = 4; // elements per lane in flight
const ROUND: u32 = EACH as u32 * WARP;
const LOOKS: usize = 8; // rows per thread of the first blocks
const LONG: u32 = 128; // the most elements of a row that is not long
const THREADS: usize = 2048; // at least so many are on a multiprocessor, with 32 registers each

/// The elements of the matrix, and the vector.
#[derive(Clone, Copy)]
struct Elements<'a> {
    columns: *const u32,
    values: *const f32,
    x: Input<'a, f32>,
}

impl Elements<'_> {
    /// Multiplies the elements `first + k * apart` of the matrix with those of x; the products of elements from `end` on are 0.
    ///
    /// # Safety
    /// There must be `end` elements.
    #[inline(always)]
    unsafe fn load_products(self, first: u32, apart: u32, end: u32) -> [f32; EACH] {
        // SAFETY: no thread writes these arrays, and the caller knows their lengths
        let (columns, values) = unsafe { (Input::new(self.columns, end), Input::new(self.values, end)) };
        let mut column = [0; EACH];
        let mut value = [0.0; EACH];
        for k in 0..EACH {
            unroll(EACH);
            let i = first + k as u32 * apart;
            if i < end {
                column[k] = load_streaming(&columns[i]);
                value[k] = load_streaming(&values[i]);
            }
        }
        let mut product = [0.0; EACH];
        for k in 0..EACH {
            unroll(EACH);
            if first + (k as u32 * apart) < end {
                product[k] = value[k] * self.x[column[k]];
            }
        }
        product
    }
}

#[inline(always)]
fn sum_of_lanes(mut sum: f32) -> f32 {
    for mask in [16, 8, 4, 2, 1] {
        sum += shuffle_xor(ALL_LANES, sum, mask);
    }
    sum
}

/// Multiplies the long ones among `LOOKS * BLOCK` rows, each by all threads of the block. `WORDS` are `LOOKS * WARPS`.
#[inline(always)]
unsafe fn long_rows<const BLOCK: usize, const WARPS: usize, const WORDS: usize>(
    offsets: Input<u32>,
    elements: Elements,
    y: Global<f32>,
    n: u32,
) {
    // SAFETY: barriers separate writes from reads by other threads. These have a bit for each row that says whether it is long,
    // and a sum of each warp.
    let (are_long, sums) = unsafe { (shared!([u32; WORDS]), shared!([f32; WARPS])) };
    let t = thread_idx().x; // [0, BLOCK)
    let (block, warps) = (BLOCK as u32, WARPS as u32);
    let first_row = block_idx().x * LOOKS as u32 * block;
    for k in 0..LOOKS as u32 {
        unroll(LOOKS);
        let row = first_row + k * block + t;
        let lanes = ballot(ALL_LANES, row < n && offsets[row + 1] - offsets[row] > LONG);
        if t.is_multiple_of(WARP) {
            are_long.set(k * warps + t / WARP, lanes);
        }
    }
    // all threads know the long rows
    sync_threads();
    for w in 0..WORDS as u32 {
        let mut bits = are_long.get(w);
        while bits != 0 {
            let row = first_row + w * WARP + bits.trailing_zeros();
            bits &= bits - 1;
            let end = offsets[row + 1];
            let mut first = offsets[row] + t;
            let mut sum = 0.0;
            while first < end {
                // SAFETY: the row ends before the last element
                for product in unsafe { elements.load_products(first, block, end) } {
                    sum += product;
                }
                first += EACH as u32 * block;
            }
            sum = sum_of_lanes(sum);
            if t.is_multiple_of(WARP) {
                sums.set(t / WARP, sum);
            }
            // the first warp adds up the sums of all
            sync_threads();
            if t < WARP {
                sum = sum_of_lanes(if t < warps { sums.get(t) } else { 0.0 });
                if t == 0 {
                    y.set(row, sum);
                }
            }
            // the sums are read before those of the next row are written
            sync_threads();
        }
    }
}

/// `WORDS` are `LOOKS * WARPS`, and `ELEMENTS` are `EACH * BLOCK`.
#[inline(always)]
unsafe fn sparse_segments<const BLOCK: usize, const WARPS: usize, const WORDS: usize, const ELEMENTS: usize>(
    offsets: *const u32,
    columns: *const u32,
    values: *const f32,
    x: *const f32,
    y: *mut f32,
    n: u32,
) {
    const { assert!(WARPS * WARP as usize == BLOCK && WORDS == LOOKS * WARPS && ELEMENTS == EACH * BLOCK) };
    const { assert!(LONG >= ROUND, "a long row that begins behind a round would end in it") };
    // SAFETY: there are n rows, and no thread writes these arrays
    let (offsets, x) = unsafe { (Input::new(offsets, n + 1), Input::new(x, n)) };
    // SAFETY: each product is written by one thread
    let y = unsafe { Global::new(y, n) };
    let elements = Elements { columns, values, x };
    let long_blocks = n.div_ceil((LOOKS * BLOCK) as u32);
    if block_idx().x < long_blocks {
        // SAFETY: all threads of the block are here
        return unsafe { long_rows::<BLOCK, WARPS, WORDS>(offsets, elements, y, n) };
    }
    // SAFETY: barriers of the warp separate writes from reads by other lanes. This has of each element of a warp whether it is the
    // last one of its row, and then the sum of the row's elements up to this one.
    let words = unsafe { shared!([u32; ELEMENTS]) };
    let t = thread_idx().x; // [0, BLOCK)
    let (lane, words) = (t % WARP, words.part(t / WARP * ROUND, ROUND));
    let row = (block_idx().x - long_blocks) * BLOCK as u32 + t;
    let (begin, end) = (offsets[row.min(n)], offsets[(row + 1).min(n)]);
    let is_long = end - begin > LONG;
    let mut skips = ballot(ALL_LANES, is_long);
    let mut first = shuffle(ALL_LANES, begin, 0);
    let last = shuffle(ALL_LANES, end, WARP - 1);
    let mut own = 0.0;
    loop {
        // up to the next long row, and then behind it
        let skipped = skips.trailing_zeros();
        let stop = if skips == 0 { last } else { shuffle(ALL_LANES, begin, skipped) };
        let mut open = 0.0; // the sum of the row that goes on behind the elements so far
        while first < stop {
            // SAFETY: `stop` is an offset
            let products = unsafe { elements.load_products(first + lane, WARP, stop) };
            let place = end.wrapping_sub(1 + first);
            let is_in = begin < end && place < ROUND; // never of a long row, which ends behind the round
            for k in 0..EACH as u32 {
                unroll(EACH);
                words.set(k * WARP + lane, 0);
            }
            sync_warp(ALL_LANES);
            if is_in {
                words.set(place, 1);
            }
            sync_warp(ALL_LANES);
            let mut lasts = [0; EACH];
            for k in 0..EACH {
                unroll(EACH);
                lasts[k] = ballot(ALL_LANES, words.get(k as u32 * WARP + lane) != 0);
            }
            for k in 0..EACH {
                unroll(EACH);
                let before = lasts[k] & ((1 << lane) - 1);
                let begun = WARP - before.leading_zeros(); // the first lane of the row; 0 for no bit
                let mut sum = products[k];
                for apart in [1, 2, 4, 8, 16] {
                    let other = shuffle(ALL_LANES, sum, lane.wrapping_sub(apart));
                    if lane >= begun + apart {
                        sum += other;
                    }
                }
                if before == 0 {
                    sum += open;
                }
                open = shuffle(ALL_LANES, sum, WARP - 1);
                if lasts[k] >> (WARP - 1) != 0 {
                    open = 0.0;
                }
                words.set(k as u32 * WARP + lane, sum.to_bits());
            }
            sync_warp(ALL_LANES);
            if is_in {
                own = f32::from_bits(words.get(place));
            }
            // the sums are read before the next round
            sync_warp(ALL_LANES);
            first += ROUND;
        }
        if skips == 0 {
            break;
        }
        first = shuffle(ALL_LANES, end, skipped);
        skips &= skips - 1;
    }
    if row < n && !is_long {
        y.set(row, own);
    }
}

macro_rules! entry_points {
    ($($name:ident = $block:literal, $warps:literal, $words:literal, $elements:literal;)+) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(
            offsets: *const u32,
            columns: *const u32,
            values: *const f32,
            x: *const f32,
            y: *mut f32,
            n: u32,
        ) {
            launch_bounds($block);
            resident_blocks(THREADS / $block);
            // SAFETY: the launch meets the function's requirements
            unsafe { sparse_segments::<$block, $warps, $words, $elements>(offsets, columns, values, x, y, n) }
        }
    )+};
}

entry_points! {
    sparseSegments_128 = 128, 4, 32, 512;
    sparseSegments_256 = 256, 8, 64, 1024;
    sparseSegments_512 = 512, 16, 128, 2048;
}
