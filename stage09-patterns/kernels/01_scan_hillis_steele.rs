// scanHillisSteele in Rust; 01_scan_hillis_steele.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, block_idx, grid_dim, kernels, shared, sync_threads, thread_idx, unroll};

#[inline(always)]
unsafe fn scan_hillis_steele<const BLOCK: usize>(numbers: *const u32, prefixes: *mut u32, sums: *mut u32, n: u32) {
    // SAFETY: no thread writes the numbers; each prefix is written by one thread, and each sum by one block
    let (numbers, prefixes, sums) =
        unsafe { (Input::new(numbers, n), Global::new(prefixes, n), Global::new(sums, grid_dim().x)) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let (mut now, mut next) = unsafe { (shared!([u32; BLOCK]), shared!([u32; BLOCK])) };
    let t = thread_idx().x; // [0, BLOCK)
    let i = block_idx().x * BLOCK as u32 + t; // [0, n + BLOCK)
    let own = if i < n { numbers[i] } else { 0 }; // behind the last number there are zeros

    let mut sum = own; // of the `apart` numbers up to the own one
    now.set(t, sum);
    let mut apart = 1;
    while apart < BLOCK as u32 {
        unroll(16);
        // the sums of the last step are complete, and nobody reads those of the step before
        sync_threads();
        if t >= apart {
            sum = sum.wrapping_add(now.get(t - apart));
        }
        next.set(t, sum);
        (now, next) = (next, now);
        apart *= 2;
    }

    if i < n {
        prefixes.set(i, sum.wrapping_sub(own));
    }
    if t == BLOCK as u32 - 1 {
        sums.set(block_idx().x, sum);
    }
}

kernels! {
    fn (numbers: *const u32, prefixes: *mut u32, sums: *mut u32, n: u32);
    scanHillisSteele_64 = scan_hillis_steele::<64>;
    scanHillisSteele_128 = scan_hillis_steele::<128>;
    scanHillisSteele_256 = scan_hillis_steele::<256>;
    scanHillisSteele_512 = scan_hillis_steele::<512>;
    scanHillisSteele_1024 = scan_hillis_steele::<1024>;
}
