#![no_std]
#![feature(abi_ptx)]

use device::{Float4, Global, block_dim, block_idx, constant, rsqrt, thread_idx};

constant!(atom_chunk: [Float4; 1024]); // x, y, z^2, charge

// Point i is at x = i * spacing on a line.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn potential(count: u32, potential: *mut f32, n: u32, spacing: f32) {
    let (count, n) = (count as usize, n as usize);
    // SAFETY: potential has n elements, each accessed by one thread
    let potential = unsafe { Global::new(potential, n) };
    let i = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    if i >= n {
        return;
    }
    let x = i as f32 * spacing;
    // >>> your code
    let mut sum = 0.0;
    for a in 0..count {
        let atom = atom_chunk()[a];
        let dx = x - atom.x;
        sum += atom.w * rsqrt(dx * dx + atom.y * atom.y + atom.z);
    }
    potential.set(i, sum);
    // <<<
}
