// coulombScatter in Rust; 02_scatter_atomic.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Float4, Global, Input, block_dim, block_idx, rsqrt, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn coulombScatter(
    atoms: *const Float4,
    atom_count: u32,
    potential: *mut f32,
    width: u32,
    height: u32,
    spacing: f32,
) {
    // SAFETY: there are atom_count atoms, and no thread writes them
    let atoms = unsafe { Input::new(atoms, atom_count) };
    // SAFETY: there are height rows of width points, to which all threads add atomically
    let potential = unsafe { Global::new(potential, width as usize * height as usize) };
    let a = block_idx().x * block_dim().x + thread_idx().x; // atom, [0, grid * block)
    if a >= atom_count {
        return;
    }

    let atom = atoms[a];
    for row in 0..height {
        let dy = spacing * row as f32 - atom.y;
        let points = potential.part(row as usize * width as usize, width);
        for column in 0..width {
            let dx = spacing * column as f32 - atom.x;
            // atomic, since all other threads add to this point as well
            points.fetch_add(column, atom.w * rsqrt(dx * dx + dy * dy + atom.z));
        }
    }
}
