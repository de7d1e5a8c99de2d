//! The counts on the cards of problem H's kernels, compared with the emulator's.

use common::stage::{Rung, Shape};
use emulator::Counters;
use stage_tests::counts::{FULL_SECTORS, counts};
use stage08_matmul::softmax::{SOFTMAX_ONLINE, SOFTMAX_PREFETCH, SOFTMAX_REGISTERS, SOFTMAX_THREE_PASSES};

/// Rows of 1024 columns.
const N: u64 = 32;
/// Words of the matrix, by full warps.
const WORDS: u64 = N * 1024 / 32;

fn of(rung: &Rung) -> Counters {
    counts(rung, N as usize, Shape { grid: Some(1), block: rung.block })
}

fn loads_and_stores(count: &Counters) -> [u64; 4] {
    let Counters { global_load_requests, global_load_sectors, global_store_requests, global_store_sectors, .. } =
        *count;
    [global_load_requests, global_load_sectors, global_store_requests, global_store_sectors]
}

#[test]
fn an_online_sum_saves_a_pass_and_registers_save_another() {
    let [three, online, registers] = [&SOFTMAX_THREE_PASSES, &SOFTMAX_ONLINE, &SOFTMAX_REGISTERS].map(of);
    assert_eq!(loads_and_stores(&three), [3 * WORDS, 3 * FULL_SECTORS * WORDS, WORDS, FULL_SECTORS * WORDS]);
    assert_eq!(loads_and_stores(&online), [2 * WORDS, 2 * FULL_SECTORS * WORDS, WORDS, FULL_SECTORS * WORDS]);
    assert_eq!(loads_and_stores(&registers), [WORDS / 4, FULL_SECTORS * WORDS, WORDS / 4, FULL_SECTORS * WORDS]);
    // A row has eight warps.
    assert_eq!([three.barriers, online.barriers, registers.barriers], [N * 8 * 4, N * 8, 0]);
}

#[test]
fn copies_take_the_place_of_loads() {
    let count = of(&SOFTMAX_PREFETCH);
    assert_eq!((count.global_load_requests, count.async_copy_requests), (0, WORDS / 4));
    assert_eq!((count.shared_load_requests, count.shared_load_conflicts), (WORDS / 4, 0));
}
