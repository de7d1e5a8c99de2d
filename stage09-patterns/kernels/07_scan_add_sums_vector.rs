// scanAddSumsVector in Rust; 07_scan_add_sums_vector.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, Int4, block_dim, block_idx, grid_dim, thread_idx, unroll};

const WIDTH: u32 = 4; // numbers in a group
const ROWS: u32 = 8; // groups per thread

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scanAddSumsVector(prefixes: *mut Int4, sums: *const u32, n: u32) {
    let groups = n.div_ceil(WIDTH);
    // SAFETY: n prefixes are filled up to whole groups, each of which is used by one thread; no thread writes the sums
    let (prefixes, sums) = unsafe { (Global::new(prefixes, groups), Input::new(sums, grid_dim().x)) };
    let sum = sums[block_idx().x];
    let first = block_idx().x * ROWS * block_dim().x + thread_idx().x;
    for row in 0..ROWS {
        unroll(ROWS as usize);
        let group = first + row * block_dim().x;
        if group < groups {
            let Int4 { x, y, z, w } = prefixes.get(group);
            let [x, y, z, w] = [x, y, z, w].map(|before| before.wrapping_add(sum.cast_signed()));
            prefixes.set(group, Int4 { x, y, z, w });
        }
    }
}
