// coulombConstant in Rust; 03_constant.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Float4, Global, block_dim, block_idx, constant, rsqrt, thread_idx};

const CHUNK: usize = 4096; // 64 KB of atoms, the size of constant memory
constant!(atom_chunk: [Float4; CHUNK]);

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn coulombConstant(
    atom_count: u32,
    potential: *mut f32,
    width: u32,
    height: u32,
    spacing: f32,
) {
    let atoms = &atom_chunk()[..atom_count as usize];
    // SAFETY: there are height rows of width points, and a thread writes only its own
    let potential = unsafe { Global::new(potential, width as usize * height as usize) };
    let column = block_idx().x * block_dim().x + thread_idx().x; // [0, grid.x * block.x)
    let row = block_idx().y * block_dim().y + thread_idx().y; // [0, grid.y * block.y)
    if column >= width || row >= height {
        return;
    }

    let (x, y) = (spacing * column as f32, spacing * row as f32);
    let mut sum = 0.0;
    for a in 0..atom_count {
        let atom = atoms[a as usize];
        let (dx, dy) = (x - atom.x, y - atom.y);
        sum += atom.w * rsqrt(dx * dx + dy * dy + atom.z);
    }

    // points per row
    let row = potential.part(row as usize * width as usize, width);
    row.set(column, row.get(column) + sum);
}
