// must fail with limits: local load requests
#![no_std]
#![feature(abi_ptx)]

use device::{Float4, Global, block_dim, block_idx, constant, rsqrt, thread_idx, unroll};

constant!(atom_chunk: [Float4; 1024]); // x, y, z^2, charge

// Point i is at x = i * spacing on a line. Each thread computes four points.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn potential(count: u32, potential: *mut f32, n: u32, spacing: f32) {
    let (count, n) = (count as usize, n as usize);
    // SAFETY: potential has n elements, each accessed by one thread
    let potential = unsafe { Global::new(potential, n) };
    // >>> your code
    let first = block_idx().x as usize * 512 + thread_idx().x as usize;
    let mut sum = [0.0; 4];
    for a in 0..count {
        let atom = atom_chunk()[a];
        for k in 0..4 {
            unroll(1);
            let dx = (first + k * 128) as f32 * spacing - atom.x;
            sum[k] += atom.w * rsqrt(dx * dx + atom.y * atom.y + atom.z);
        }
    }
    for k in 0..4 {
        unroll(1);
        if first + k * 128 < n {
            potential.set(first + k * 128, sum[k]);
        }
    }
    // <<<
}
