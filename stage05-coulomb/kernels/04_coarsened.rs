// coulombCoarsened of 04_coarsened.cu, whose card it has, in Rust.
#![no_std]
#![feature(abi_ptx)]

use device::{Float4, Global, block_dim, block_idx, constant, rsqrt, thread_idx, unroll};

const CHUNK: usize = 4096; // atoms in 64 KB, all the constant memory there is
constant!(atom_chunk: [Float4; CHUNK]);

const BLOCK_X: u32 = 16;
const POINTS: usize = 8; // points of a thread, all in one row

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn coulombCoarsened(
    atom_count: u32,
    potential: *mut f32,
    width: u32,
    height: u32,
    spacing: f32,
) {
    let atoms = &atom_chunk()[..atom_count as usize];
    // SAFETY: height rows of width points; a thread writes its own alone
    let potential = unsafe { Global::new(potential, width as usize * height as usize) };
    let first = (block_idx().x * BLOCK_X + thread_idx().x) * POINTS as u32; // column of the first point
    let row = block_idx().y * block_dim().y + thread_idx().y; // [0, grid.y * block.y)
    if row >= height {
        return;
    }

    let (x, y) = (spacing * first as f32, spacing * row as f32);
    let step = spacing; // from a point of the thread to its next
    let mut sums = [0.0; POINTS];
    for a in 0..atom_count {
        let atom = atoms[a as usize];
        let (dx, dy) = (x - atom.x, y - atom.y);
        let off_row = dy * dy + atom.z;
        for k in 0..POINTS {
            unroll(POINTS);
            let dx_k = dx + k as f32 * step;
            sums[k] += atom.w * rsqrt(dx_k * dx_k + off_row);
        }
    }

    // the points of a row
    let row = potential.part(row as usize * width as usize, width);
    for k in 0..POINTS {
        unroll(POINTS);
        let column = first + k as u32;
        if column < width {
            row.set(column, row.get(column) + sums[k]);
        }
    }
}
