// must fail with runs: memcheck: out-of-bounds access
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_dim, block_idx, dynamic_shared, sync_threads, thread_idx};

// >>> your code
// launch <<<8, 128, 128>>>
// <<<

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn reverse(data: *const f32, out: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: the arrays have n elements, and each element of out is written by one thread
    let (data, out) = unsafe { (from_raw_parts(data, n), Global::new(out, n)) };
    let block = block_dim().x as usize;
    // SAFETY: the launch sets one float per thread of a block, and a barrier separates the writes from the reads
    let part = unsafe { dynamic_shared::<f32>(block) };
    let first = block_idx().x as usize * block;
    let count = block.min(n - first);
    let t = thread_idx().x as usize;
    if t < count {
        part.set(t, data[first + t]);
    }
    sync_threads();
    if t < count {
        out.set(first + t, part.get(count - 1 - t));
    }
}
