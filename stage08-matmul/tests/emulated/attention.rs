//! The counts on the cards of problem I's kernels, compared with the emulator's.

use common::stage::{Rung, Shape};
use emulator::Counters;
use stage_tests::counts::counts;
use stage08_matmul::attention::{
    ATTENTION_FUSED, ATTENTION_OVERLAP, ATTENTION_TENSOR, ATTENTION_THROUGH_MEMORY, ATTENTION_TURNS,
    ATTENTION_WARPGROUP,
};

/// A tile of queries and of keys.
const N: u64 = 64;
/// The default.
const HEADS: u64 = 16;
/// Elements of a head.
const D: u64 = 64;
/// The bytes of a sector.
const SECTOR: u64 = 32;

fn of(rung: &Rung) -> Counters {
    counts(rung, N as usize, Shape::block(rung.block))
}

#[test]
fn scores_are_written_twice_and_read_four_times_or_never() {
    let [memory, fused] = [&ATTENTION_THROUGH_MEMORY, &ATTENTION_FUSED].map(of);
    let (scores, outputs) = (HEADS * N * N * 4 / SECTOR, HEADS * N * D * 4 / SECTOR);
    assert_eq!(memory.global_store_sectors, 2 * scores + outputs);
    assert_eq!(fused.global_store_sectors, outputs);
    // For the largest score, the sum, the weight, and the values.
    assert_eq!(memory.global_load_sectors - fused.global_load_sectors, 4 * scores);
}

#[test]
fn weights_and_tiles_have_no_bank_conflicts() {
    for rung in [&ATTENTION_THROUGH_MEMORY, &ATTENTION_FUSED, &ATTENTION_TENSOR] {
        let count = of(rung);
        assert_eq!((count.shared_load_conflicts, count.shared_store_conflicts), (0, 0), "{}", rung.kernel);
    }
}

#[test]
fn tensor_cores_multiply_2048_terms_an_instruction() {
    let [fused, tensor] = [&ATTENTION_FUSED, &ATTENTION_TENSOR].map(of);
    let terms = 2 * HEADS * N * N * D;
    assert!(fused.classes.float > terms / 32, "{:?}", fused.classes);
    assert_eq!(tensor.classes.matrix, terms / 2048);
    // The tile has four barriers, and the queries of a block two, for each of four warps.
    assert_eq!(tensor.barriers, HEADS * 4 * (2 + 4));
}

#[test]
fn a_warpgroup_multiplies_up_to_131072_terms_an_instruction_without_loads() {
    let n = 2 * N;
    let [tensor, warpgroup, overlap, turns] =
        [&ATTENTION_TENSOR, &ATTENTION_WARPGROUP, &ATTENTION_OVERLAP, &ATTENTION_TURNS]
            .map(|rung| counts(rung, n as usize, Shape::block(rung.block)));
    // 64 x 128 scores, or 64 x 64 sums of values, with 16 terms each, for four warps.
    let terms = HEADS * n * n * D;
    assert_eq!(warpgroup.classes.matrix, terms * 4 / (64 * 128 * 16) + terms * 4 / (64 * 64 * 16));
    assert_eq!(warpgroup.classes.matrix * 32, tensor.classes.matrix * 3);
    for count in [warpgroup, overlap, turns] {
        assert_eq!(count.classes.matrix, warpgroup.classes.matrix);
        assert_eq!((count.global_load_requests, count.shared_load_wavefronts), (0, 0));
    }
}
