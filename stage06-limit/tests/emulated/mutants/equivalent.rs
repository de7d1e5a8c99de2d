//! Mutants that do the same as their kernel, and a few that the checks cannot tell from it, each with the reason.

use stage_tests::mutants::{Change, Equivalent, same};

/// Of all kernels but those below.
pub const EQUIVALENT: &[Equivalent] = &[
    same(
        &["forcesFloat4_128", "forcesRegisterTile_128"],
        "for (int first = 0; first < n; first += BLOCK) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "the test before the loop: n is at least 512",
    ),
    same(
        &["forcesRegisterTile_128", "forcesSplitSources_128", "forcesFastRoot_128"],
        "if (i < n) {",
        &[(Change::Strictness, 3)],
        "n is a multiple of 512, which only the first of a thread's four targets comes to",
    ),
    same(
        &["forcesSplitSources_128", "forcesFastRoot_128"],
        "const int first_tile = min(",
        &[(Change::Clamp, 1)],
        "a slice that begins past the tiles has none either way",
    ),
    same(
        &["periodicArrays", "periodicFractions"],
        "for (int first = 0; first < n; first += CHUNK) {",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "n is at least 1, and behind the last body a chunk is empty",
    ),
    same(
        &["periodicArrays", "periodicFractions"],
        "const int count = min(",
        &[(Change::Clamp, 1)],
        "n - first is at least 1",
    ),
    same(
        &["periodicArrays", "periodicFractions"],
        "for (int k = t; k < count; k += BLOCK)",
        &[(Change::Guard, 1)],
        "the test whether four copies are left: the loop over single ones makes them as well",
    ),
    same(
        &["periodicArrays", "periodicFractions"],
        "for (int k = 0; k < count; ++k) {",
        &[(Change::Guard, 1), (Change::Strictness, 1)],
        "a chunk has at least one position, and three that are left over are no four",
    ),
    same(
        &["periodicArrays"],
        "const float box = d > 0.5f",
        &[(Change::Strictness, 28)],
        "half a box away both images are as near, and either is right",
    ),
    same(
        &["periodicFused"],
        "if (first >= n) return;",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "no block is past the bodies, and one would store nothing",
    ),
    same(
        &["periodicFused"],
        "for (int source = 0; source < n; source += CHUNK) {",
        &[(Change::Strictness, 2), (Change::Guard, 2)],
        "n is at least 1, and behind the last body a chunk is empty; that the loop ends too early takes more than 4096 bodies",
    ),
    same(
        &["periodicFused"],
        "const int count = min(",
        &[(Change::Clamp, 2)],
        "it takes more than a chunk of 4096 bodies, and the emulator long",
    ),
    same(
        &["periodicFused"],
        "__syncthreads();",
        &[(Change::Barrier, 1)],
        "it takes more than a chunk of 4096 bodies, and the emulator long",
    ),
    same(
        &["periodicFused"],
        "for (int k = t; k < count; k += BLOCK)",
        &[(Change::Guard, 2), (Change::Strictness, 2)],
        "the tests whether four copies are left, and one more: fewer than 4 x 1024 are",
    ),
    same(
        &["periodicFused"],
        "for (int k = group; k < count; k += GROUPS) {",
        &[(Change::Strictness, 1)],
        "three sources that are left over are no four",
    ),
    same(
        &["periodicFused"],
        "if (t % WARP < ACROSS) pulls",
        &[(Change::Guard, 4)],
        "lanes with the same targets store the same sums",
    ),
    same(
        &["reduceInterleaved_256"],
        "__syncthreads();",
        &[(Change::Barrier, 1)],
        "the last level: thread 0 goes on with what it wrote itself",
    ),
    same(&["reduceInterleaved_256"], "if (t == 0) partials", &[(Change::Guard, 1)], "all threads store the same sum"),
    same(
        &["reduceVector_256"],
        "const unsigned int count = first < n",
        &[(Change::Strictness, 1)],
        "n - first is 0 for first = n",
    ),
    same(
        &["reduceVector_256"],
        "if (count == SLICE) {",
        &[(Change::Guard, 1)],
        "the loop over single elements adds a whole slice as well",
    ),
    same(
        &["reduceVector_256", "reduceGridStride_64"],
        "if (t % WARP == 0) warp_sums",
        &[(Change::Guard, 1)],
        "all lanes store the same sum",
    ),
    same(
        &["reduceVector_256", "reduceGridStride_64"],
        "return t < WARP ? warp_sum(",
        &[(Change::Guard, 1)],
        "the other warps shuffle among themselves and store nothing",
    ),
    same(
        &["reduceGridStride_64", "reduceOnePass_64", "reduceStreaming_64"],
        "for (; i + (LOADS - 1) * step < count;",
        &[(Change::Guard, 1)],
        "the loop over single groups adds all as well",
    ),
    same(
        &["reduceOnePass_64", "reduceStreaming_64", "reduceAsyncCopy_64", "reduceBulkCopy_256"],
        "if (t % WARP == 0) warp_sums",
        &[(Change::Guard, 2)],
        "all lanes store the same sum",
    ),
    same(
        &["reduceOnePass_64", "reduceStreaming_64", "reduceAsyncCopy_64", "reduceBulkCopy_256"],
        "return t < WARP ? warp_sum(",
        &[(Change::Guard, 2), (Change::Strictness, 1)],
        "the other warps shuffle among themselves and store nothing, and behind the sums of the warps only lanes of other warps read",
    ),
    same(
        &["reduceOnePass_64", "reduceStreaming_64", "reduceAsyncCopy_64", "reduceBulkCopy_256"],
        "__threadfence();",
        &[(Change::Fence, 1)],
        "the reader's fence: the checks take an atomic for one that acquires, and say so",
    ),
    same(
        &["reduceOnePass_64", "reduceStreaming_64", "reduceAsyncCopy_64", "reduceBulkCopy_256"],
        "for (int b = t; b < gridDim.x; b += BLOCK)",
        &[(Change::Guard, 1)],
        "the test before the loop: the compiler tests again in it",
    ),
    same(
        &["reduceBulkCopy_256"],
        "asm volatile(\"fence.mbarrier_init",
        &[(Change::Fence, 1)],
        "the emulator's copy engine comes after all that its thread has done",
    ),
    same(&["reduceBulkCopy_256"], "do {", &[(Change::Clamp, 1)], "t is below 768 + 256 in any case"),
    same(
        &["reduceBulkCopy_256"],
        "} while (is_there == 0);",
        &[(Change::Guard, 1), (Change::Strictness, 1)],
        "the emulator waits inside of try_wait for as long as it takes, and t is below 1023 in any case",
    ),
    same(
        &["reduceBulkCopy_256"],
        "for (int k = t; k < CHUNK; k += BLOCK)",
        &[(Change::Guard, 5)],
        "tests of how many loads are left: a chunk is four of every thread, always",
    ),
    same(
        &["galaxyThirdLaw", "galaxyMixedRoots"],
        "__threadfence();",
        &[(Change::Fence, 3)],
        "additions are atomic, and the checks take them for handed over: that a thread counts on the fence of another one of its warp they do not see, and say so",
    ),
    same(
        &["galaxyThirdLaw", "galaxyMixedRoots"],
        "__syncwarp();",
        &[(Change::Barrier, 2)],
        "additions are atomic, and the checks take them for handed over: that a thread counts on the fence of another one of its warp they do not see, and say so",
    ),
    same(
        &["coulombTile"],
        "for (int first = 0; first < atom_count;",
        &[(Change::Guard, 1), (Change::Strictness, 1)],
        "there is at least one atom, and behind the last one a chunk is empty",
    ),
    same(
        &["coulombSplitAtoms", "coulombSoftwareRoot"],
        "for (int first = first_atom; first < last_atom;",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "a slice has at least one atom here, and behind the last one a chunk is empty",
    ),
    same(
        &["coulombTile"],
        "const int count = min(",
        &[(Change::Clamp, 5)],
        "in the count of copies at a time, which four of every thread are more than, and in a count that is negated twice",
    ),
    same(
        &["coulombSplitAtoms", "coulombSoftwareRoot"],
        "const int count = min(",
        &[(Change::Clamp, 3)],
        "in the count of copies at a time, which four of every thread are more than",
    ),
    same(
        &["coulombTile", "coulombSplitAtoms", "coulombSoftwareRoot"],
        "for (int a = threadIdx.x; a < count;",
        &[(Change::Guard, 2), (Change::Strictness, 2)],
        "the loop over four copies at a time: a chunk of 256 atoms is two of every thread",
    ),
    same(
        &["coulombTile", "coulombSplitAtoms", "coulombSoftwareRoot"],
        "for (int a = 0; a < count; ++a) {",
        &[(Change::Guard, 1)],
        "a chunk has at least one atom",
    ),
];

/// Of the kernel with a barrier of the grid.
pub const EQUIVALENT_PERSISTENT: &[Equivalent] = &[
    same(
        &["periodicPersistent"],
        "for (int step = 0; step < steps; ++step) {",
        &[(Change::Guard, 1)],
        "there is at least one step",
    ),
    same(
        &["periodicPersistent"],
        "for (int first = blockIdx.x * OWN;",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "a round behind the last body stores nothing",
    ),
    same(
        &["periodicPersistent"],
        "for (int e = 0; e < EACH; ++e) own[e] =",
        &[(Change::Strictness, 1)],
        "the test before the loop over the chunks: n is at least 1",
    ),
    same(
        &["periodicPersistent"],
        "for (int source = 0; source < n; source += CHUNK) {",
        &[(Change::Strictness, 1), (Change::Guard, 2)],
        "as in periodicFused",
    ),
    same(
        &["periodicPersistent"],
        "const int count = min(",
        &[(Change::Clamp, 7)],
        "it takes more than a chunk of 4096 bodies, and the emulator long",
    ),
    same(
        &["periodicPersistent"],
        "__syncthreads();",
        &[(Change::Barrier, 2)],
        "either of the last one of the grid's barrier and the first one of a chunk: between them a block loads only what it has stored itself",
    ),
    same(
        &["periodicPersistent"],
        "for (int k = t; k < count; k += BLOCK)",
        &[(Change::Guard, 3), (Change::Strictness, 2)],
        "as in periodicFused",
    ),
    same(
        &["periodicPersistent"],
        "for (int k = group; k < count; k += GROUPS) {",
        &[(Change::Guard, 2), (Change::Strictness, 2)],
        "the loop over four sources at a time: these sizes are less than 4 x 128",
    ),
    same(
        &["periodicPersistent"],
        "if (t % WARP < ACROSS) pulls",
        &[(Change::Guard, 4)],
        "lanes with the same targets store the same sums",
    ),
    same(
        &["periodicPersistent"],
        "__threadfence();",
        &[(Change::Fence, 1)],
        "the reader's fence: the checks take a volatile load for one that acquires, and say so",
    ),
];
