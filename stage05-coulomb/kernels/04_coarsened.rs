// coulombCoarsened in Rust; 04_coarsened.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Float4, Global, block_dim, block_idx, constant, rsqrt, thread_idx, unroll};

const CHUNK: usize = 4096; // 64 KB of atoms, the size of constant memory
constant!(atom_chunk: [Float4; CHUNK]);

const BLOCK_X: u32 = 16;
const POINTS: usize = 8; // points per thread, all in one row

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn coulombCoarsened(
    atom_count: u32,
    potential: *mut f32,
    width: u32,
    height: u32,
    spacing: f32,
) {
    let atoms = &atom_chunk()[..atom_count as usize];
    // SAFETY: there are height rows of width points, and a thread writes only its own
    let potential = unsafe { Global::new(potential, width as usize * height as usize) };
    let first = (block_idx().x * BLOCK_X + thread_idx().x) * POINTS as u32; // column of the first point
    let row = block_idx().y * block_dim().y + thread_idx().y; // [0, grid.y * block.y)
    if row >= height {
        return;
    }

    let (x, y) = (spacing * first as f32, spacing * row as f32);
    let step = spacing; // between consecutive points of the thread
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

    // points per row
    let row = potential.part(row as usize * width as usize, width);
    for k in 0..POINTS {
        unroll(POINTS);
        let column = first + k as u32;
        if column < width {
            row.set(column, row.get(column) + sums[k]);
        }
    }
}
