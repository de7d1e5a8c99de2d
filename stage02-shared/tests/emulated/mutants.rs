//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use stage_tests::mutants::{self, Change, Equivalent};
use stage02_shared::STAGE;

const EQUIVALENT: &[Equivalent] = &[
    Equivalent {
        kernels: &["computeForces_Shared_128"],
        code: "for (int first = 0; first < n; first += BLOCK) {",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    },
    Equivalent {
        kernels: &["computeForces_Tiling_Shared_256"],
        code: "for (int first = 0; first < n; first += BLOCK) {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    },
    Equivalent {
        kernels: &["computeForces_Tiling_Shared_256"],
        code: "const float xi = x[own], yi = y[own], zi = z[own];",
        changes: &[(Change::Strictness, 1)],
        reason: "the test before the loop over the tiles: a single body has no force",
    },
    Equivalent {
        kernels: &["computeForces_Tiling_Shared_256"],
        code: "for (int first_target = ",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "a round behind the last target stores nothing",
    },
    Equivalent {
        kernels: &["periodicSharedStrided", "periodicSharedCoalesced"],
        code: "for (int first = 0; first < n; first += CHUNK) {",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "n is at least 1, a single body has no force, and behind the last body a chunk is empty",
    },
    Equivalent {
        kernels: &["periodicSharedStrided", "periodicSharedCoalesced"],
        code: "const int count = min(",
        changes: &[(Change::Clamp, 2)],
        reason: "n - first is at least 1, and what a thread copies is below CHUNK in any case",
    },
    Equivalent {
        kernels: &["periodicSharedStrided", "periodicSharedCoalesced"],
        code: "for (int k = 0; k < count; ++k) {",
        changes: &[(Change::Guard, 1)],
        reason: "a chunk has at least one position",
    },
    Equivalent {
        kernels: &["periodicSharedStrided", "periodicSharedCoalesced"],
        code: "const float box = d > 0.5f",
        changes: &[(Change::Strictness, 28)],
        reason: "half a box away both images are as near, and either is right",
    },
    Equivalent {
        kernels: &["reduceSmem_128"],
        code: "const unsigned int count = first < n",
        changes: &[(Change::Strictness, 1), (Change::Clamp, 1)],
        reason: "n - first is 0 for first = n, and t is below BLOCK in any case",
    },
    Equivalent {
        kernels: &["reduceSmem_128"],
        code: "if (t < WARP) {",
        changes: &[(Change::Guard, 1)],
        reason: "threads of the other warps have no t < half",
    },
    Equivalent {
        kernels: &["reduceSmem_128"],
        code: "__syncwarp();",
        changes: &[(Change::Barrier, 1)],
        reason: "only thread 0 goes on, with what it wrote itself",
    },
    Equivalent {
        kernels: &["nbody_sim"],
        code: "for (int first = 0; first < n; first += block) {",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    },
    Equivalent {
        kernels: &["nbody_sim"],
        code: "for (int k = 0; k < block; ++k) {",
        changes: &[(Change::Guard, 1)],
        reason: "a block has at least one thread",
    },
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    Equivalent {
        kernels: &["computeForces_Tiling_Shared_256 in Rust"],
        code: "while first_target < n {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "a round behind the last target stores nothing",
    },
    Equivalent {
        kernels: &["periodicSharedStrided in Rust"],
        code: "let count = CHUNK.min(",
        changes: &[(Change::Clamp, 1)],
        reason: "n - first is at least 1, and what a thread copies is below CHUNK in any case",
    },
    Equivalent {
        kernels: &["periodicSharedCoalesced in Rust"],
        code: "chunk_y.set(k, bodies.get(record + Y));",
        changes: &[(Change::Clamp, 1)],
        reason: "n - first is at least 1, and what a thread copies is below CHUNK in any case",
    },
    Equivalent {
        kernels: &["periodicSharedStrided in Rust", "periodicSharedCoalesced in Rust"],
        // the line before the loop over the chunk
        code: "sync_threads();",
        changes: &[(Change::Guard, 1), (Change::Clamp, 1)],
        reason: "a chunk has at least one position",
    },
    Equivalent {
        kernels: &["periodicSharedStrided in Rust", "periodicSharedCoalesced in Rust"],
        code: "let box_ = if d > 0.5 {",
        changes: &[(Change::Strictness, 1)],
        reason: "half a box away both images are as near, and either is right",
    },
    Equivalent {
        kernels: &["reduceSmem_128 in Rust"],
        code: "let count = if first < n",
        changes: &[(Change::Strictness, 1)],
        reason: "n - first is 0 for first = n",
    },
    Equivalent {
        kernels: &["nbody_sim in Rust"],
        code: "while first < n {",
        changes: &[(Change::Strictness, 1)],
        reason: "a tile behind the last source has no mass",
    },
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
