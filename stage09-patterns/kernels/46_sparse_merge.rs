// sparseMerge in Rust; 46_sparse_merge.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, Shared, WARP, ballot, block_idx, grid_dim, launch_bounds, load_streaming,
    resident_blocks, shared, shuffle, sync_threads, thread_idx, unroll,
};

const THREADS: usize = 1536; // at least so many are on a multiprocessor, with 42 registers each
const EACH: usize = 11; // steps per thread; odd, so that threads with as many elements meet in no bank

/// Returns how many rows end before a step, given where each ends: row r ends in step ends[r] + r, after as many elements and r
/// other ends.
#[inline(always)]
fn rows_before(ends: Shared<u32>, rows: u32, step: u32) -> u32 {
    let mut low = 0;
    let mut high = rows;
    while low < high {
        let middle = (low + high) / 2;
        if ends.get(middle) + middle < step {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Returns the same for all rows by a warp, whose lanes look at 32 rows at a time. All 32 lanes must call it.
#[inline(always)]
fn rows_before_by_warp(offsets: Input<u32>, rows: u32, step: u32) -> u32 {
    let lane = thread_idx().x % WARP;
    let mut low = 0;
    let mut high = rows;
    while low < high {
        // a lane looks at the last row of its part
        let part = (high - low).div_ceil(WARP);
        let row = low + lane * part + part - 1;
        let is_before = row < high && offsets[row + 1] + row < step;
        low += ballot(ALL_LANES, is_before).count_ones() * part;
        high = high.min(low + part - 1);
    }
    low
}

/// `STEPS` are those of the block, and `WORDS` one more.
#[inline(always)]
unsafe fn sparse_merge<const BLOCK: usize, const STEPS: usize, const WORDS: usize, const WARPS: usize>(
    offsets: *const u32,
    columns: *const u32,
    values: *const f32,
    x: *const f32,
    y: *mut f32,
    open_rows: *mut u32,
    open_sums: *mut f32,
    n: u32,
    elements: u32,
) {
    const { assert!(STEPS == EACH * BLOCK && WORDS == STEPS + 1 && WARPS * WARP as usize == BLOCK) };
    // SAFETY: there are n rows and so many elements, and no thread writes these arrays
    let (offsets, columns) = unsafe { (Input::new(offsets, n + 1), Input::new(columns, elements)) };
    // SAFETY: as above
    let (values, x) = unsafe { (Input::new(values, elements), Input::new(x, n)) };
    // SAFETY: each product is written by the thread in which the row ends
    let y = unsafe { Global::new(y, n) };
    // SAFETY: each is written by its block
    let (open_rows, open_sums) =
        unsafe { (Global::new(open_rows, grid_dim().x), Global::new(open_sums, grid_dim().x)) };
    // SAFETY: barriers separate writes from reads by other threads. These are the products of the block's elements, and behind
    // them the ends of its rows; and the rows that end before the first step, and before the last one's end.
    let (words, edges) = unsafe { (shared!([u32; WORDS]), shared!([u32; 2])) };
    // SAFETY: as above; the lanes of each warp in which a row ends, and the sum of its elements behind the last end
    let (warp_ends, warp_sums) = unsafe { (shared!([u32; WARPS]), shared!([f32; WARPS])) };
    let t = thread_idx().x; // [0, BLOCK)
    let (lane, warp, block) = (t % WARP, t / WARP, BLOCK as u32);
    let first = block_idx().x * STEPS as u32;
    let steps = (n + elements - first).min(STEPS as u32);

    if warp < 2 {
        let edge = rows_before_by_warp(offsets, n, if warp == 0 { first } else { first + steps });
        if lane == 0 {
            edges.set(warp, edge);
        }
    }
    // all threads know the rows and the elements of the block
    sync_threads();
    let first_row = edges.get(0);
    let rows = edges.get(1) - first_row;
    let (first_element, count) = (first - first_row, steps - rows);

    let mut column = [0; EACH];
    let mut value = [0.0; EACH];
    for k in 0..EACH {
        unroll(EACH);
        let i = k as u32 * block + t;
        if i < count {
            column[k] = load_streaming(&columns[first_element + i]);
            value[k] = load_streaming(&values[first_element + i]);
        }
    }
    // also the end of the row that goes on behind the block
    let ends = words.part(count, WORDS as u32 - count);
    let mut i = t;
    while i <= rows && first_row + i < n {
        ends.set(i, offsets[first_row + i + 1] - first_element);
        i += block;
    }
    for k in 0..EACH {
        unroll(EACH);
        let i = k as u32 * block + t;
        if i < count {
            words.set(i, (value[k] * x[column[k]]).to_bits());
        }
    }
    // threads walk through products and ends that others wrote
    sync_threads();

    let begun = rows_before(ends, rows, EACH as u32 * t);
    let (mut row, mut element) = (begun, EACH as u32 * t - begun);
    let (mut sum, mut sum_of_begun) = (0.0, 0.0);
    for k in 0..EACH {
        unroll(EACH);
        if EACH as u32 * t + k as u32 >= steps {
            break;
        }
        if element < ends.get(row) {
            sum += f32::from_bits(words.get(element));
            element += 1;
        } else {
            if row == begun {
                sum_of_begun = sum;
            } else {
                y.set(first_row + row, sum);
            }
            sum = 0.0;
            row += 1;
        }
    }

    // the sum behind the last end, over the lanes up to this one
    let ended = ballot(ALL_LANES, row != begun);
    let up_to_lane = ended & (ALL_LANES >> (WARP - 1 - lane));
    let last = if up_to_lane == 0 { 0 } else { WARP - 1 - up_to_lane.leading_zeros() };
    for apart in [1, 2, 4, 8, 16] {
        let before = shuffle(ALL_LANES, sum, lane.wrapping_sub(apart));
        if lane >= last + apart {
            sum += before;
        }
    }
    if lane == WARP - 1 {
        warp_ends.set(warp, ended);
        warp_sums.set(warp, sum);
    }
    let sum_of_lanes = shuffle(ALL_LANES, sum, lane.wrapping_sub(1));
    // all threads add up the sums of the warps
    sync_threads();
    let (mut sum_of_warps, mut open_sum) = (0.0, 0.0);
    for w in 0..WARPS as u32 {
        unroll(WARPS);
        if w == warp {
            sum_of_warps = open_sum;
        }
        let its_sum = warp_sums.get(w);
        open_sum = if warp_ends.get(w) == 0 { open_sum + its_sum } else { its_sum };
    }
    if row != begun {
        // what the lanes before have of the row, and the warps before if it begins there
        if lane > 0 {
            sum_of_begun += sum_of_lanes;
        }
        if up_to_lane == 1 << lane {
            sum_of_begun += sum_of_warps;
        }
        y.set(first_row + begun, sum_of_begun);
    }
    if t == 0 {
        open_rows.set(block_idx().x, first_row + rows);
        open_sums.set(block_idx().x, open_sum);
    }
}

macro_rules! entry_points {
    ($($name:ident = $block:literal, $steps:literal, $words:literal, $warps:literal;)+) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(
            offsets: *const u32,
            columns: *const u32,
            values: *const f32,
            x: *const f32,
            y: *mut f32,
            open_rows: *mut u32,
            open_sums: *mut f32,
            n: u32,
            elements: u32,
        ) {
            launch_bounds($block);
            resident_blocks(THREADS / $block);
            // SAFETY: the launch meets the function's requirements
            unsafe {
                sparse_merge::<$block, $steps, $words, $warps>(
                    offsets, columns, values, x, y, open_rows, open_sums, n, elements,
                )
            }
        }
    )+};
}

entry_points! {
    sparseMerge_128 = 128, 1408, 1409, 4;
    sparseMerge_256 = 256, 2816, 2817, 8;
    sparseMerge_512 = 512, 5632, 5633, 16;
}
