//! Mutants of the twins in Rust that do the same, mostly for the reasons of `equivalent.rs`.

use stage_tests::mutants::{Change, Equivalent, same};

/// With the reasons.
pub const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    same(
        &["galaxyMixedRoots in Rust"],
        "sync_warp(ALL_LANES);",
        &[(Change::Barrier, 1)],
        "the checks do not see that a thread counts on the fence of another one of its warp",
    ),
    same(
        &["galaxyMixedRoots in Rust"],
        "thread_fence();",
        &[(Change::Fence, 2)],
        "additions are atomic, and the checks take them for handed over",
    ),
    same(
        &["reduceStreaming_64 in Rust"],
        "thread_fence();",
        &[(Change::Fence, 1)],
        "the reader's fence: the checks take an atomic for one that acquires, and say so",
    ),
    same(
        &["reduceStreaming_64 in Rust"],
        "if t < WARP { warp_sum(",
        &[(Change::Guard, 1)],
        "the other warps shuffle among themselves and store nothing",
    ),
    same(
        &["periodicFused in Rust"],
        "if first >= n {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "no block is past the bodies, and one would store nothing",
    ),
    same(
        &["periodicFused in Rust"],
        "let (target, group) = (t % ACROSS, t / ACROSS);",
        &[(Change::Clamp, 1)],
        "it takes more than a chunk of 4096 bodies, and the emulator long",
    ),
    same(
        &["periodicFused in Rust"],
        "sync_threads();",
        &[(Change::Barrier, 1)],
        "it takes more than a chunk of 4096 bodies, and the emulator long",
    ),
    same(
        &["periodicFused in Rust"],
        "for k in (group..sources.len()).step_by(GROUPS) {",
        &[(Change::Clamp, 1), (Change::Guard, 1), (Change::Strictness, 1)],
        "a group without a source has none of 128 either, the loops behind the test make no round then, and three sources that are left over are no four",
    ),
    same(
        &["periodicFused in Rust"],
        "if t % WARP < ACROSS {",
        &[(Change::Guard, 1)],
        "lanes with the same targets store the same sums",
    ),
    same(
        &["periodicFused in Rust"],
        "value += shuffle_xor(ALL_LANES, value, mask);",
        &[(Change::Guard, 1)],
        "the test behind it, whether the lane stores: lanes with the same targets store the same sums",
    ),
    same(
        &["periodicFused in Rust"],
        "chunk.set(k, sources[k]);",
        &[(Change::Clamp, 1)],
        "the larger of a thread's number and the length, behind the test that the number is below",
    ),
    same(
        &["coulombTile in Rust", "coulombSplitAtoms in Rust", "coulombSoftwareRoot in Rust"],
        "sync_threads();",
        &[(Change::Guard, 1)],
        "the test behind it: a chunk has at least one atom",
    ),
];
