// scanVector in Rust; 04_scan_vector.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, Int4, Shared, WARP, block_idx, grid_dim, kernels, shared, shuffle, sync_threads,
    thread_idx, unroll,
};

const WIDTH: u32 = 4; // numbers in a group
const ROWS: usize = 8; // groups per thread

/// Returns the sum of `value` over the lanes up to this one. All 32 lanes must call it.
#[inline(always)]
fn warp_scan(mut value: u32) -> u32 {
    let lane = thread_idx().x % WARP;
    for apart in [1, 2, 4, 8, 16] {
        let before = shuffle(ALL_LANES, value, lane.wrapping_sub(apart));
        if lane >= apart {
            value = value.wrapping_add(before);
        }
    }
    value
}

fn sum_of(group: [u32; 4]) -> u32 {
    group[0].wrapping_add(group[1]).wrapping_add(group[2]).wrapping_add(group[3])
}

/// Returns the sums before each number of a group, given the sum before the group.
fn scan_group(before: u32, group: [u32; 4]) -> Int4 {
    let second = before.wrapping_add(group[0]);
    let third = second.wrapping_add(group[1]);
    let [x, y, z, w] = [before, second, third, third.wrapping_add(group[2])].map(u32::cast_signed);
    Int4 { x, y, z, w }
}

/// Replaces the sums of all warps' rows by the sums before them in the slice, and returns the sum of the slice in all lanes. The
/// first warp must call it; a lane has EACH of them.
#[inline(always)]
fn scan_warp_sums<const EACH: usize>(warp_sums: Shared<u32>) -> u32 {
    let own = EACH as u32 * thread_idx().x;
    let mut before = [0; EACH];
    let mut sum = 0_u32;
    for k in 0..EACH {
        unroll(EACH);
        before[k] = sum;
        sum = sum.wrapping_add(warp_sums.get(own + k as u32));
    }
    let up_to_lane = warp_scan(sum);
    for k in 0..EACH {
        unroll(EACH);
        warp_sums.set(own + k as u32, up_to_lane.wrapping_sub(sum).wrapping_add(before[k]));
    }
    shuffle(ALL_LANES, up_to_lane, WARP - 1)
}

/// `COUNT` is the number of warps' rows, and `EACH` that of a lane.
#[inline(always)]
unsafe fn scan_vector<const BLOCK: usize, const COUNT: usize, const EACH: usize>(
    numbers: *const Int4,
    prefixes: *mut Int4,
    sums: *mut u32,
    n: u32,
) {
    const { assert!(COUNT == ROWS * BLOCK / WARP as usize && COUNT == EACH * WARP as usize) };
    let groups = n.div_ceil(WIDTH);
    // SAFETY: the arrays have n numbers, filled up to whole groups; no thread writes the numbers, and one writes each prefix
    let (numbers, prefixes) = unsafe { (Input::new(numbers, groups), Global::new(prefixes, groups)) };
    // SAFETY: each sum is written by one block
    let sums = unsafe { Global::new(sums, grid_dim().x) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let warp_sums = unsafe { shared!([u32; COUNT]) }; // row by row
    let (block, warps) = (BLOCK as u32, BLOCK as u32 / WARP);
    let t = thread_idx().x; // [0, BLOCK)
    let first = block_idx().x * ROWS as u32 * block + t;

    let mut own = [[0_u32; 4]; ROWS];
    for row in 0..ROWS {
        unroll(ROWS);
        let group = first + row as u32 * block;
        if group < groups {
            let Int4 { x, y, z, w } = numbers[group];
            own[row] = [x, y, z, w].map(i32::cast_unsigned);
        }
    }
    let mut before = [0; ROWS]; // the sum of the lanes before this one
    for row in 0..ROWS {
        unroll(ROWS);
        let sum = warp_scan(sum_of(own[row]));
        if t % WARP == WARP - 1 {
            warp_sums.set(row as u32 * warps + t / WARP, sum);
        }
        before[row] = sum.wrapping_sub(sum_of(own[row]));
    }
    // the first warp reads the sums of all
    sync_threads();
    if t < WARP {
        let sum = scan_warp_sums::<EACH>(warp_sums);
        if t == 0 {
            sums.set(block_idx().x, sum);
        }
    }
    // every warp reads the sums before its rows
    sync_threads();

    for row in 0..ROWS {
        unroll(ROWS);
        let before_lane = warp_sums.get(row as u32 * warps + t / WARP).wrapping_add(before[row]);
        let group = first + row as u32 * block;
        if group < groups {
            prefixes.set(group, scan_group(before_lane, own[row]));
        }
    }
}

kernels! {
    fn (numbers: *const Int4, prefixes: *mut Int4, sums: *mut u32, n: u32);
    scanVector_128 = scan_vector::<128, 32, 1>;
    scanVector_256 = scan_vector::<256, 64, 2>;
    scanVector_512 = scan_vector::<512, 128, 4>;
}
