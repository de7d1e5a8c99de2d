// scanWorkEfficient in Rust; 02_scan_work_efficient.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, block_idx, grid_dim, kernels, shared, sync_threads, thread_idx, unroll};

#[inline(always)]
unsafe fn scan_work_efficient<const BLOCK: usize>(numbers: *const u32, prefixes: *mut u32, sums: *mut u32, n: u32) {
    let block = BLOCK as u32;
    // SAFETY: no thread writes the numbers; each prefix is written by one thread, and each sum by one block
    let (numbers, prefixes, sums) =
        unsafe { (Input::new(numbers, n), Global::new(prefixes, n), Global::new(sums, grid_dim().x)) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let tree = unsafe { shared!([u32; BLOCK]) };
    let t = thread_idx().x; // [0, BLOCK)
    let i = block_idx().x * block + t; // [0, n + BLOCK)
    tree.set(t, if i < n { numbers[i] } else { 0 }); // behind the last number there are zeros

    let mut half = 1;
    while half < block {
        unroll(16);
        // the sums of the halves are complete
        sync_threads();
        let last = (t + 1) * 2 * half - 1; // of part t
        if last < block {
            tree.set(last, tree.get(last).wrapping_add(tree.get(last - half)));
        }
        half *= 2;
    }
    // thread 0 alone writes the root in the last step, and reads it
    if t == 0 {
        sums.set(block_idx().x, tree.get(block - 1));
        tree.set(block - 1, 0);
    }
    let mut half = block / 2;
    while half > 0 {
        unroll(16);
        // the sums before the parts are complete
        sync_threads();
        let last = (t + 1) * 2 * half - 1;
        if last < block {
            let left = tree.get(last - half);
            tree.set(last - half, tree.get(last));
            tree.set(last, tree.get(last).wrapping_add(left));
        }
        half /= 2;
    }
    // every thread reads what others wrote in the last step
    sync_threads();

    if i < n {
        prefixes.set(i, tree.get(t));
    }
}

kernels! {
    fn (numbers: *const u32, prefixes: *mut u32, sums: *mut u32, n: u32);
    scanWorkEfficient_64 = scan_work_efficient::<64>;
    scanWorkEfficient_128 = scan_work_efficient::<128>;
    scanWorkEfficient_256 = scan_work_efficient::<256>;
    scanWorkEfficient_512 = scan_work_efficient::<512>;
    scanWorkEfficient_1024 = scan_work_efficient::<1024>;
}
