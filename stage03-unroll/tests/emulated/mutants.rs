//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use stage_tests::mutants::{self, Change, Equivalent, same};
use stage03_unroll::STAGE;

const EQUIVALENT: &[Equivalent] = &[
    same(
        &["computeForces_unroll1", "computeForces_unroll16", "computeForces_unrollFull", "computeForces_unroll64_128"],
        "for (int first = 0; first < n; first += BLOCK) {",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    ),
    same(
        &["computeForces_Tiling_unroll64_256"],
        "for (int first = 0; first < n; first += BLOCK) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    ),
    same(
        &["computeForces_Tiling_unroll64_256"],
        "const float xi = x[own], yi = y[own], zi = z[own];",
        &[(Change::Strictness, 1)],
        "the test before the loop over the tiles: a single body has no force",
    ),
    same(
        &["computeForces_Tiling_unroll64_256"],
        "for (int first_target = ",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "a round behind the last target stores nothing",
    ),
    same(
        &["reduceSmemUnroll_128"],
        "const unsigned int count = first < n",
        &[(Change::Strictness, 1)],
        "n - first is 0 for first = n",
    ),
    same(
        &["reduceSmemUnrollDyn"],
        "const unsigned int count = first < n",
        &[(Change::Strictness, 1)],
        "n - first is 0 for first = n",
    ),
    same(
        &["reduceSmemUnroll_128"],
        "if (count == SLICE) {",
        &[(Change::Guard, 1)],
        "the loop with a condition adds a whole slice as well",
    ),
    same(
        &["reduceSmemUnrollDyn"],
        "if (count == slice_length) {",
        &[(Change::Guard, 1)],
        "the loop with a condition adds a whole slice as well",
    ),
    same(
        &["reduceSmemUnrollDyn"],
        "for (unsigned int half = block / 2; half >= WARP; half /= 2) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "compared with 127, which is no power of two; and a block has 64 threads or more",
    ),
    same(
        &["reduceSmemUnroll_128", "reduceSmemUnrollDyn"],
        "if (t < WARP) {",
        &[(Change::Guard, 1)],
        "threads of the other warps have no t < half",
    ),
    same(
        &["reduceSmemUnrollDyn"],
        "if (t < WARP) {",
        &[(Change::Strictness, 1)],
        "lane 31 adds nothing here and exits: what is named in the mask and has exited is not waited for",
    ),
    same(
        &["reduceSmemUnroll_128", "reduceSmemUnrollDyn"],
        "__syncwarp();",
        &[(Change::Barrier, 1)],
        "only thread 0 goes on, with what it wrote itself",
    ),
    same(
        &["nbody_sim_unroll", "nbody_sim_float4"],
        "for (int first = 0; first < n; first += block) {",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    ),
    same(
        &["nbody_sim_unroll", "nbody_sim_float4"],
        "for (int k = 0; k < block; ++k) {",
        &[(Change::Guard, 1)],
        "a block has at least one thread",
    ),
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    same(
        &["computeForces_Tiling_unroll64_256 in Rust"],
        "while first_target < n {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "a round behind the last target stores nothing",
    ),
    same(
        &["reduceSmemUnroll_128 in Rust", "reduceSmemUnrollDyn in Rust"],
        "let count = if first < n",
        &[(Change::Strictness, 1)],
        "n - first is 0 for first = n",
    ),
    same(
        &["reduceSmemUnrollDyn in Rust"],
        "sum = sum.wrapping_add(slice[part * block + t]);",
        &[(Change::Clamp, 1), (Change::Strictness, 1), (Change::Selection, 1)],
        "t is below four blocks; and the quotient, from which the compiler knows how many elements are left, is 4 or more in any case",
    ),
    same(
        &["nbody_sim_float4 in Rust"],
        "while first < n {",
        &[(Change::Strictness, 1)],
        "a tile behind the last source has no mass",
    ),
    same(
        &["reduceSmemUnrollDyn in Rust"],
        "while half >= WARP {",
        &[(Change::Strictness, 1)],
        "compared with 127, which is no power of two",
    ),
    same(
        &["reduceSmemUnrollDyn in Rust"],
        "if t < WARP {",
        &[(Change::Strictness, 1)],
        "lane 31 adds nothing here and exits: what is named in the mask and has exited is not waited for",
    ),
];

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&STAGE, &mutants::SIZES, EQUIVALENT);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&STAGE, &mutants::SIZES, EQUIVALENT_IN_RUST);
}

#[test]
fn a_mutant_is_noticed() {
    mutants::one_is_noticed(&STAGE, &mutants::SIZES, Change::Barrier);
}
