// convolutionRegisters in Rust; 53_convolution_registers.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{
    ALL_LANES, Float4, Global, Input, WARP, block_dim, block_idx, launch_bounds, mul_add, shuffle, thread_idx, unroll,
};

const MAX_TAPS: usize = 49;
const MAX_WINDOW: usize = 10;
const EACH: i32 = 4; // columns per thread
const STRIP: i32 = (WARP as i32 - 2) * EACH; // columns per warp that are stored

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Filter {
    taps: [f32; MAX_TAPS],
}

/// Returns the index of a group of words.
fn place(row: i32, group: i32, groups_each: i32, groups: i32) -> u32 {
    let place = (row * groups_each + group) as u32;
    // SAFETY: the row is below n, and the group below that of a row's end
    unsafe { assert_unchecked(place < groups as u32) };
    place
}

#[inline(always)]
unsafe fn convolve<const RADIUS: usize, const ROWS: usize>(
    input: *const f32,
    output: *mut f32,
    n: i32,
    pitch: i32,
    filter: Filter,
) {
    let side = 2 * RADIUS + 1;
    let groups_each = pitch / EACH; // per row
    // SAFETY: the image has n rows of this pitch, and no thread writes them
    let input = unsafe { Input::new(input.cast::<Float4>(), (n * groups_each) as u32) };
    // SAFETY: as many groups, each written by one thread
    let output = unsafe { Global::new(output.cast::<Float4>(), (n * groups_each) as u32) };
    let lane = thread_idx().x % WARP;
    let column = block_idx().x as i32 * STRIP + (lane as i32 - 1) * EACH;
    let first = ((block_idx().y * block_dim().x + thread_idx().x) / WARP) as i32 * ROWS as i32; // row
    let is_inside = column >= 0 && column < n;
    let is_stored = is_inside && lane > 0 && lane < WARP - 1;

    let mut sums = [[0.0; EACH as usize]; ROWS];
    for y in 0..ROWS + 2 * RADIUS {
        unroll(ROWS + 2 * RADIUS);
        let row = first + y as i32 - RADIUS as i32;
        let mut own = Float4::default();
        if is_inside && row >= 0 && row < n {
            own = input[place(row, column / EACH, groups_each, n * groups_each)];
        }
        let pixels = [own.x, own.y, own.z, own.w];
        let mut window = [0.0; MAX_WINDOW]; // from column - RADIUS on
        for i in 0..EACH as usize {
            unroll(EACH as usize);
            window[RADIUS + i] = pixels[i];
        }
        for i in 0..RADIUS {
            unroll(RADIUS);
            window[i] = shuffle(ALL_LANES, pixels[EACH as usize - RADIUS + i], lane.wrapping_sub(1));
            window[RADIUS + EACH as usize + i] = shuffle(ALL_LANES, pixels[i], lane + 1);
        }

        // this row of pixels is row j of the filter for the output's row y - j
        for j in 0..side {
            unroll(7);
            if y < j || y - j >= ROWS {
                continue;
            }
            for i in 0..side {
                unroll(7);
                for x in 0..EACH as usize {
                    unroll(EACH as usize);
                    sums[y - j][x] = mul_add(filter.taps[j * side + i], window[x + i], sums[y - j][x]);
                }
            }
        }

        // the row whose sums are complete
        if y >= 2 * RADIUS {
            let done = y - 2 * RADIUS;
            let row = first + done as i32;
            if is_stored && row < n {
                let [x, y, z, w] = sums[done];
                output.set(place(row, column / EACH, groups_each, n * groups_each), Float4::new(x, y, z, w));
            }
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn convolutionRegisters_1(
    input: *const f32,
    output: *mut f32,
    n: i32,
    pitch: i32,
    filter: Filter,
) {
    launch_bounds(256);
    // SAFETY: the launch meets the function's requirements.
    unsafe { convolve::<1, 4>(input, output, n, pitch, filter) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn convolutionRegisters_3(
    input: *const f32,
    output: *mut f32,
    n: i32,
    pitch: i32,
    filter: Filter,
) {
    launch_bounds(256);
    // SAFETY: the launch meets the function's requirements.
    unsafe { convolve::<3, 8>(input, output, n, pitch, filter) }
}
