//! Mutants of the twins in Rust that do the same, mostly for the reasons of `equivalent.rs`.

use stage_tests::mutants::{Change, Equivalent};

/// With the reasons.
pub const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    Equivalent {
        kernels: &["galaxyMixedRoots in Rust"],
        code: "sync_warp(ALL_LANES);",
        changes: &[(Change::Barrier, 1)],
        reason: "the checks do not see that a thread counts on the fence of another one of its warp",
    },
    Equivalent {
        kernels: &["galaxyMixedRoots in Rust"],
        code: "thread_fence();",
        changes: &[(Change::Fence, 2)],
        reason: "additions are atomic, and the checks take them for handed over",
    },
    Equivalent {
        kernels: &["reduceStreaming_64 in Rust"],
        code: "thread_fence();",
        changes: &[(Change::Fence, 1)],
        reason: "the reader's fence: the checks take an atomic for one that acquires, and say so",
    },
    Equivalent {
        kernels: &["reduceStreaming_64 in Rust"],
        code: "if t < WARP { warp_sum(",
        changes: &[(Change::Guard, 1)],
        reason: "the other warps shuffle among themselves and store nothing",
    },
    Equivalent {
        kernels: &["periodicFused in Rust"],
        code: "if first >= n {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "no block is past the bodies, and one would store nothing",
    },
    Equivalent {
        kernels: &["periodicFused in Rust"],
        code: "let (target, group) = (t % ACROSS, t / ACROSS);",
        changes: &[(Change::Clamp, 1)],
        reason: "it takes more than a chunk of 4096 bodies, and the emulator long",
    },
    Equivalent {
        kernels: &["periodicFused in Rust"],
        code: "sync_threads();",
        changes: &[(Change::Barrier, 1)],
        reason: "it takes more than a chunk of 4096 bodies, and the emulator long",
    },
    Equivalent {
        kernels: &["periodicFused in Rust"],
        code: "for k in (group..sources.len()).step_by(GROUPS) {",
        changes: &[(Change::Clamp, 1), (Change::Guard, 1), (Change::Strictness, 1)],
        reason: "a group without a source has none of 128 either, the loops behind the test make no round then, and three sources that are left over are no four",
    },
    Equivalent {
        kernels: &["periodicFused in Rust"],
        code: "if t % WARP < ACROSS {",
        changes: &[(Change::Guard, 1)],
        reason: "lanes with the same targets store the same sums",
    },
    Equivalent {
        kernels: &["periodicFused in Rust"],
        code: "value += shuffle_xor(ALL_LANES, value, mask);",
        changes: &[(Change::Guard, 1)],
        reason: "the test behind it, whether the lane stores: lanes with the same targets store the same sums",
    },
    Equivalent {
        kernels: &["periodicFused in Rust"],
        code: "chunk.set(k, sources[k]);",
        changes: &[(Change::Clamp, 1)],
        reason: "the larger of a thread's number and the length, behind the test that the number is below",
    },
    Equivalent {
        kernels: &["coulombTile in Rust", "coulombSplitAtoms in Rust", "coulombSoftwareRoot in Rust"],
        code: "sync_threads();",
        changes: &[(Change::Guard, 1)],
        reason: "the test behind it: a chunk has at least one atom",
    },
];
