// must fail with results:
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, block_idx, shared, sync_threads, thread_idx};

fn at(image: &Input<'_, f32>, columns: i32, rows: i32, x: i32, y: i32) -> f32 {
    if (0..columns).contains(&x) && (0..rows).contains(&y) { image[(y * columns + x) as u32] } else { 0.0 }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn blur(image: *const f32, out: *mut f32, columns: i32, rows: i32) {
    let n = (columns * rows) as u32;
    // SAFETY: the arrays have n elements, and each element of out is written by one thread
    let (image, out) = unsafe { (Input::new(image, n), Global::new(out, n)) };
    // SAFETY: a barrier separates the writes of an element from its reads
    let tile = unsafe { shared!([f32; 10 * 34]) };
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (x0, y0) = (block_idx().x as i32 * 32, block_idx().y as i32 * 8);
    let (x, y) = (x0 + tx as i32, y0 + ty as i32);
    // >>> your code
    let t = ty * 32 + tx;
    for k in [t, t + 256] {
        if k < 340 {
            tile.set(k, at(&image, columns, rows, x0 + k as i32 % 34, y0 + k as i32 / 34));
        }
    }
    sync_threads();
    // <<<
    if x >= columns || y >= rows {
        return;
    }
    let mut sum = 0.0;
    for k in 0..9 {
        sum += tile.get((ty + k / 3) * 34 + tx + k % 3);
    }
    out.set((y * columns + x) as u32, sum / 9.0);
}
