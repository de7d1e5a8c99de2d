//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use stage_tests::mutants::{self, Change, Equivalent};
use stage03_unroll::STAGE;

const EQUIVALENT: &[Equivalent] = &[
    Equivalent {
        kernels: &[
            "computeForces_unroll1",
            "computeForces_unroll16",
            "computeForces_unrollFull",
            "computeForces_unroll64_128",
        ],
        code: "for (int first = 0; first < n; first += BLOCK) {",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    },
    Equivalent {
        kernels: &["computeForces_Tiling_unroll64_256"],
        code: "for (int first = 0; first < n; first += BLOCK) {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    },
    Equivalent {
        kernels: &["computeForces_Tiling_unroll64_256"],
        code: "const float xi = x[own], yi = y[own], zi = z[own];",
        changes: &[(Change::Strictness, 1)],
        reason: "the test before the loop over the tiles: a single body has no force",
    },
    Equivalent {
        kernels: &["computeForces_Tiling_unroll64_256"],
        code: "for (int first_target = ",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "a round behind the last target stores nothing",
    },
    Equivalent {
        kernels: &["reduceSmemUnroll_128"],
        code: "const unsigned int count = first < n",
        changes: &[(Change::Strictness, 1)],
        reason: "n - first is 0 for first = n",
    },
    Equivalent {
        kernels: &["reduceSmemUnrollDyn"],
        code: "const unsigned int count = first < n",
        changes: &[(Change::Strictness, 1)],
        reason: "n - first is 0 for first = n",
    },
    Equivalent {
        kernels: &["reduceSmemUnroll_128"],
        code: "if (count == SLICE) {",
        changes: &[(Change::Guard, 1)],
        reason: "the loop with a condition adds a whole slice as well",
    },
    Equivalent {
        kernels: &["reduceSmemUnrollDyn"],
        code: "if (count == slice_length) {",
        changes: &[(Change::Guard, 1)],
        reason: "the loop with a condition adds a whole slice as well",
    },
    Equivalent {
        kernels: &["reduceSmemUnrollDyn"],
        code: "for (unsigned int half = block / 2; half >= WARP; half /= 2) {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "compared with 127, which is no power of two; and a block has 64 threads or more",
    },
    Equivalent {
        kernels: &["reduceSmemUnroll_128", "reduceSmemUnrollDyn"],
        code: "if (t < WARP) {",
        changes: &[(Change::Guard, 1)],
        reason: "threads of the other warps have no t < half",
    },
    Equivalent {
        kernels: &["reduceSmemUnrollDyn"],
        code: "if (t < WARP) {",
        changes: &[(Change::Strictness, 1)],
        reason: "lane 31 adds nothing here and exits: what is named in the mask and has exited is not waited for",
    },
    Equivalent {
        kernels: &["reduceSmemUnroll_128", "reduceSmemUnrollDyn"],
        code: "__syncwarp();",
        changes: &[(Change::Barrier, 1)],
        reason: "only thread 0 goes on, with what it wrote itself",
    },
    Equivalent {
        kernels: &["nbody_sim_unroll", "nbody_sim_float4"],
        code: "for (int first = 0; first < n; first += block) {",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "n is at least 1, a single body has no force, and a tile behind the last source has no mass",
    },
    Equivalent {
        kernels: &["nbody_sim_unroll", "nbody_sim_float4"],
        code: "for (int k = 0; k < block; ++k) {",
        changes: &[(Change::Guard, 1)],
        reason: "a block has at least one thread",
    },
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    Equivalent {
        kernels: &["computeForces_Tiling_unroll64_256 in Rust"],
        code: "while first_target < n {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "a round behind the last target stores nothing",
    },
    Equivalent {
        kernels: &["reduceSmemUnroll_128 in Rust", "reduceSmemUnrollDyn in Rust"],
        code: "let count = if first < n",
        changes: &[(Change::Strictness, 1)],
        reason: "n - first is 0 for first = n",
    },
    Equivalent {
        kernels: &["reduceSmemUnrollDyn in Rust"],
        code: "sum = sum.wrapping_add(slice[part * block + t]);",
        changes: &[(Change::Clamp, 1), (Change::Strictness, 1), (Change::Selection, 1)],
        reason: "t is below four blocks; and the quotient, from which the compiler knows how many elements are left, is 4 or more in any case",
    },
    Equivalent {
        kernels: &["nbody_sim_float4 in Rust"],
        code: "while first < n {",
        changes: &[(Change::Strictness, 1)],
        reason: "a tile behind the last source has no mass",
    },
    Equivalent {
        kernels: &["reduceSmemUnrollDyn in Rust"],
        code: "while half >= WARP {",
        changes: &[(Change::Strictness, 1)],
        reason: "compared with 127, which is no power of two",
    },
    Equivalent {
        kernels: &["reduceSmemUnrollDyn in Rust"],
        code: "if t < WARP {",
        changes: &[(Change::Strictness, 1)],
        reason: "lane 31 adds nothing here and exits: what is named in the mask and has exited is not waited for",
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
