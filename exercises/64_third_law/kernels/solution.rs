#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_dim, block_idx, thread_idx};

/// Returns the force on a body at x from a body at other_x.
fn force_of(x: f32, other_x: f32) -> f32 {
    let d = other_x - x;
    d / (d * d * d.abs() + 0.01)
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn forces(x: *const f32, force: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: the arrays have n elements
    let (x, force) = unsafe { (from_raw_parts(x, n), Global::new(force, n)) };
    let i = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    // >>> your code
    if i < n {
        let mut sum = 0.0;
        for s in 1..n {
            let j = i + s;
            if j < n {
                let f = force_of(x[i], x[j]);
                sum += f;
                force.fetch_add(j, -f);
            }
        }
        force.fetch_add(i, sum);
    }
    // <<<
}
