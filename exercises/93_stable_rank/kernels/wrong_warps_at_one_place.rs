// must fail with findings: racecheck: race between warps
#![no_std]
#![feature(abi_ptx)]

use device::{ALL_LANES, Global, Input, ballot, block_idx, shared, sync_threads, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn pass(keys: *const u32, out: *mut u32, n: u32) {
    // SAFETY: the arrays have n elements, and each element of out is written by one thread
    let (keys, out) = unsafe { (Input::new(keys, n), Global::new(out, n)) };
    let t = thread_idx().x;
    let (warp, lane) = (t / 32, t % 32);
    let block = block_idx().x * 256;
    let first = block + warp * 64 + lane;
    let key = [first, first + 32].map(|i| if i < n { keys[i] } else { u32::MAX }); // none: comes last
    let mut place = [0; 2];
    // >>> your code
    // SAFETY: a barrier separates the writes of an element from its reads
    let counts = unsafe { shared!([u32; 16]) };
    for d in 0..4 {
        let mut count = 0;
        for k in 0..2 {
            let lanes = ballot(ALL_LANES, key[k] % 4 == d);
            if key[k] % 4 == d {
                place[k] = count + (lanes & ((1 << lane) - 1)).count_ones();
            }
            count += lanes.count_ones();
        }
        if lane == 0 {
            counts.set(warp * 4 + d, count);
        }
    }
    sync_threads();
    for d in 0..4 {
        for w in 0..4 {
            for k in 0..2 {
                if d < key[k] % 4 {
                    place[k] += counts.get(w * 4 + d);
                }
            }
        }
    }
    // <<<
    for k in 0..2 {
        if block + place[k] < n {
            out.set(block + place[k], key[k]);
        }
    }
}
