// must fail with findings: racecheck: race
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, block_idx, grid_dim, shared, sync_threads, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn histogram(data: *const u8, bins: *mut u32, n: u32) {
    // SAFETY: there are n bytes, and a bin for each value, to which all threads add atomically
    let (data, bins) = unsafe { (Input::new(data, n), Global::new(bins, 256_u32)) };
    // SAFETY: threads add to the elements atomically, and barriers separate that from other accesses
    let own = unsafe { shared!([u32; 256]) };
    let t = thread_idx().x;
    own.set(t, 0);
    own.set(t + 128, 0);
    sync_threads();
    // >>> your code
    for first in (block_idx().x * 128..n).step_by(grid_dim().x as usize * 128) {
        if first + t < n {
            let v = u32::from(data[first + t]);
            own.set(v, own.get(v) + 1);
        }
        sync_threads();
    }
    for b in [t, t + 128] {
        bins.fetch_add(b, own.get(b));
    }
    // <<<
}
