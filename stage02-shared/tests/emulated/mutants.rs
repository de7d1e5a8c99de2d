//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use stage_tests::mutants::{self, Change, Equivalent, same};
use stage02_shared::STAGE;

const EQUIVALENT: &[Equivalent] = &[
    same(
        &["computeForces_Shared_128"],
        "for (int first = 0; first < n; first += BLOCK) {",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    ),
    same(
        &["computeForces_Tiling_Shared_256"],
        "for (int first = 0; first < n; first += BLOCK) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    ),
    same(
        &["computeForces_Tiling_Shared_256"],
        "const float xi = x[own], yi = y[own], zi = z[own];",
        &[(Change::Strictness, 1)],
        "the test before the loop over the tiles: a single body has no force",
    ),
    same(
        &["computeForces_Tiling_Shared_256"],
        "for (int first_target = ",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "a round behind the last target stores nothing",
    ),
    same(
        &["periodicSharedStrided", "periodicSharedCoalesced"],
        "for (int first = 0; first < n; first += CHUNK) {",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "n is at least 1, a single body has no force, and behind the last body a chunk is empty",
    ),
    same(
        &["periodicSharedStrided", "periodicSharedCoalesced"],
        "const int count = min(",
        &[(Change::Clamp, 2)],
        "n - first is at least 1, and what a thread copies is below CHUNK in any case",
    ),
    same(
        &["periodicSharedStrided", "periodicSharedCoalesced"],
        "for (int k = 0; k < count; ++k) {",
        &[(Change::Guard, 1)],
        "a chunk has at least one position",
    ),
    same(
        &["periodicSharedStrided", "periodicSharedCoalesced"],
        "const float box = d > 0.5f",
        &[(Change::Strictness, 28)],
        "half a box away both images are as near, and either is right",
    ),
    same(
        &["reduceSmem_128"],
        "const unsigned int count = first < n",
        &[(Change::Strictness, 1), (Change::Clamp, 1)],
        "n - first is 0 for first = n, and t is below BLOCK in any case",
    ),
    same(&["reduceSmem_128"], "if (t < WARP) {", &[(Change::Guard, 1)], "threads of the other warps have no t < half"),
    same(
        &["reduceSmem_128"],
        "__syncwarp();",
        &[(Change::Barrier, 1)],
        "only thread 0 goes on, with what it wrote itself",
    ),
    same(
        &["nbody_sim"],
        "for (int first = 0; first < n; first += block) {",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    ),
    same(&["nbody_sim"], "for (int k = 0; k < block; ++k) {", &[(Change::Guard, 1)], "a block has at least one thread"),
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    same(
        &["computeForces_Tiling_Shared_256 in Rust"],
        "while first_target < n {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "a round behind the last target stores nothing",
    ),
    same(
        &["periodicSharedStrided in Rust"],
        "let count = CHUNK.min(",
        &[(Change::Clamp, 1)],
        "n - first is at least 1, and what a thread copies is below CHUNK in any case",
    ),
    same(
        &["periodicSharedCoalesced in Rust"],
        "chunk_y.set(k, bodies.get(record + Y));",
        &[(Change::Clamp, 1)],
        "n - first is at least 1, and what a thread copies is below CHUNK in any case",
    ),
    same(
        &["periodicSharedStrided in Rust", "periodicSharedCoalesced in Rust"],
        // the line before the loop over the chunk
        "sync_threads();",
        &[(Change::Guard, 1), (Change::Clamp, 1)],
        "a chunk has at least one position",
    ),
    same(
        &["periodicSharedStrided in Rust", "periodicSharedCoalesced in Rust"],
        "let box_ = if d > 0.5 {",
        &[(Change::Strictness, 1)],
        "half a box away both images are as near, and either is right",
    ),
    same(
        &["reduceSmem_128 in Rust"],
        "let count = if first < n",
        &[(Change::Strictness, 1)],
        "n - first is 0 for first = n",
    ),
    same(
        &["nbody_sim in Rust"],
        "while first < n {",
        &[(Change::Strictness, 1)],
        "a tile behind the last source has no mass",
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
