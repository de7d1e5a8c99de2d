// scanAddSums in Rust; 06_scan_add_sums.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, block_dim, block_idx, grid_dim, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scanAddSums(prefixes: *mut u32, sums: *const u32, n: u32) {
    // SAFETY: each prefix is used by one thread, and no thread writes the sums
    let (prefixes, sums) = unsafe { (Global::new(prefixes, n), Input::new(sums, grid_dim().x)) };
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < n {
        prefixes.set(i, prefixes.get(i).wrapping_add(sums[block_idx().x]));
    }
}
