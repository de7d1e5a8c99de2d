// must fail with findings: racecheck: race
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Float4, Global, block_dim, block_idx, grid_dim, rsqrt, shared, sync_threads, thread_idx, unroll};

// >>> your code
// launch <<<16 * (n / 512), 128>>>
// <<<

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn forces(bodies: *const Float4, forces: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: bodies has n elements and forces has 3 n, which threads write once or add to
    let (bodies, forces) = unsafe { (from_raw_parts(bodies, n), Global::new(forces, 3 * n)) };
    // >>> your code
    // SAFETY: a barrier separates the writes of an element from its reads
    let tile = unsafe { shared!([Float4; 128]) };
    let t = thread_idx().x as usize;
    let groups = n.div_ceil(512);
    let slices = grid_dim().x as usize / groups;
    let block = block_idx().x as usize;
    let first = block % groups * 512 + t;
    let own: [Float4; 4] = core::array::from_fn(|e| bodies[(first + e * 128).min(n - 1)]);
    let (mut sum_x, mut sum_y, mut sum_z) = ([0.0; 4], [0.0; 4], [0.0; 4]);
    let mut begin = block / groups * 128;
    while begin < n {
        tile.set(t, if begin + t < n { bodies[begin + t] } else { Float4::new(0.0, 0.0, 0.0, 0.0) });
        sync_threads();
        for k in 0..128 {
            unroll(16);
            let source = tile.get(k);
            for e in 0..4 {
                unroll(4);
                let (dx, dy, dz) = (source.x - own[e].x, source.y - own[e].y, source.z - own[e].z);
                let inverse = rsqrt(dx * dx + dy * dy + dz * dz + 0.01);
                let weight = source.w * inverse * inverse * inverse;
                sum_x[e] += weight * dx;
                sum_y[e] += weight * dy;
                sum_z[e] += weight * dz;
            }
        }
        sync_threads();
        begin += slices * 128;
    }
    for e in 0..4 {
        unroll(4);
        let i = first + e * 128;
        if i < n {
            forces.set(i, forces.get(i) + own[e].w * sum_x[e]);
            forces.set(n + i, forces.get(n + i) + own[e].w * sum_y[e]);
            forces.set(2 * n + i, forces.get(2 * n + i) + own[e].w * sum_z[e]);
        }
    }
    // <<<
}
