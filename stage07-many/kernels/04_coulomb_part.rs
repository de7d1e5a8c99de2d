// coulomb_part in Rust; 04_coulomb_part.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{
    Float4, Global, block_idx, fast_rsqrt, grid_dim, launch_bounds, resident_blocks, shared, sync_threads, thread_idx,
    unroll,
};

const BLOCK: usize = 128;
const ACROSS: u32 = 16; // threads per block along x
const DOWN: u32 = BLOCK as u32 / ACROSS; // and along y
const COLUMNS: usize = 8; // points per thread along x, ACROSS apart
const ROWS: usize = 4; // and along y, DOWN apart
const CHUNK: usize = 256; // atoms in shared memory at a time

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn coulomb_part(
    atoms: *const Float4,
    atom_count: u32,
    potential: *mut f32,
    width: u32,
    height: u32,
    first_row: u32,
    spacing: f32,
) {
    launch_bounds(BLOCK);
    // leaves the number of registers to the compiler, which otherwise stays within 64: fewer roots are in flight
    resident_blocks(1);
    // SAFETY: there are atom_count atoms, and no thread writes them
    let atoms = unsafe { from_raw_parts(atoms, atom_count as usize) };
    // SAFETY: there are height rows of width points, to which all threads add atomically
    let potential = unsafe { Global::new(potential, width as usize * height as usize) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let chunk = unsafe { shared!([Float4; CHUNK]) };
    let t = thread_idx().x; // [0, BLOCK)
    let first_column = block_idx().x * (ACROSS * COLUMNS as u32) + t % ACROSS;
    let own_row = block_idx().y * (DOWN * ROWS as u32) + t / ACROSS;

    let (x, y) = (spacing * first_column as f32, spacing * (first_row + own_row) as f32);
    let mut sums = [[0.0; COLUMNS]; ROWS];
    let each = atom_count.div_ceil(grid_dim().z); // atoms per slice; the last may have fewer or none
    let first_atom = (block_idx().z * each).min(atom_count) as usize;
    let last_atom = (block_idx().z * each + each).min(atom_count) as usize;
    for atoms in atoms[first_atom..last_atom].chunks(CHUNK) {
        for a in (t as usize..atoms.len()).step_by(BLOCK) {
            chunk.set(a, atoms[a]);
        }
        // the tile must be complete before any thread reads it
        sync_threads();

        for a in 0..atoms.len() {
            unroll(1);
            let atom = chunk.get(a);
            let (to_x, to_y) = (x - atom.x, y - atom.y); // from the atom to the thread's first point
            let mut dx_squared = [0.0; COLUMNS];
            for c in 0..COLUMNS {
                unroll(COLUMNS);
                let dx = to_x + (c as u32 * ACROSS) as f32 * spacing;
                dx_squared[c] = dx * dx;
            }
            let mut off_row = [0.0; ROWS];
            for r in 0..ROWS {
                unroll(ROWS);
                let dy = to_y + (r as u32 * DOWN) as f32 * spacing;
                off_row[r] = dy * dy + atom.z;
            }
            for r in 0..ROWS {
                unroll(ROWS);
                for c in 0..COLUMNS {
                    unroll(COLUMNS);
                    sums[r][c] += atom.w * fast_rsqrt(dx_squared[c] + off_row[r]);
                }
            }
        }
        // a fast warp must not overwrite the atoms while slower warps still read them
        sync_threads();
    }

    for r in 0..ROWS {
        unroll(ROWS);
        for c in 0..COLUMNS {
            unroll(COLUMNS);
            let (column, row) = (first_column + c as u32 * ACROSS, own_row + r as u32 * DOWN);
            if column < width && row < height {
                potential.fetch_add((row * width + column) as usize, sums[r][c]);
            }
        }
    }
}
