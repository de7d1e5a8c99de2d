// must fail with results:
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_dim, block_idx, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn brighten(image: *const f32, out: *mut f32, width: u32, height: u32) {
    let (width, height) = (width as usize, height as usize);
    // SAFETY: the images have height rows of width pixels, and each pixel of out is written by one thread
    let (image, out) = unsafe { (from_raw_parts(image, width * height), Global::new(out, width * height)) };
    // >>> your code
    let column = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    let row = block_idx().y as usize;
    // <<<
    if column < width && row < height {
        out.set(row * width + column, 1.5 * image[row * width + column]);
    }
}
