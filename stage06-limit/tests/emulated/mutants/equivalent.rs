//! Mutants that do the same as their kernel, and a few that the checks cannot tell from it, each with the reason.

use stage_tests::mutants::{Change, Equivalent};

/// Of all kernels but those below.
pub const EQUIVALENT: &[Equivalent] = &[
    Equivalent {
        kernels: &["forcesFloat4_128", "forcesRegisterTile_128"],
        code: "for (int first = 0; first < n; first += BLOCK) {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "the test before the loop: n is at least 512",
    },
    Equivalent {
        kernels: &["forcesRegisterTile_128", "forcesSplitSources_128", "forcesFastRoot_128"],
        code: "if (i < n) {",
        changes: &[(Change::Strictness, 3)],
        reason: "n is a multiple of 512, which only the first of a thread's four targets comes to",
    },
    Equivalent {
        kernels: &["forcesSplitSources_128", "forcesFastRoot_128"],
        code: "const int first_tile = min(",
        changes: &[(Change::Clamp, 1)],
        reason: "a slice that begins past the tiles has none either way",
    },
    Equivalent {
        kernels: &["periodicArrays", "periodicFractions"],
        code: "for (int first = 0; first < n; first += CHUNK) {",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "n is at least 1, and behind the last body a chunk is empty",
    },
    Equivalent {
        kernels: &["periodicArrays", "periodicFractions"],
        code: "const int count = min(",
        changes: &[(Change::Clamp, 1)],
        reason: "n - first is at least 1",
    },
    Equivalent {
        kernels: &["periodicArrays", "periodicFractions"],
        code: "for (int k = t; k < count; k += BLOCK)",
        changes: &[(Change::Guard, 1)],
        reason: "the test whether four copies are left: the loop over single ones makes them as well",
    },
    Equivalent {
        kernels: &["periodicArrays", "periodicFractions"],
        code: "for (int k = 0; k < count; ++k) {",
        changes: &[(Change::Guard, 1), (Change::Strictness, 1)],
        reason: "a chunk has at least one position, and three that are left over are no four",
    },
    Equivalent {
        kernels: &["periodicArrays"],
        code: "const float box = d > 0.5f",
        changes: &[(Change::Strictness, 28)],
        reason: "half a box away both images are as near, and either is right",
    },
    Equivalent {
        kernels: &["periodicFused"],
        code: "if (first >= n) return;",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "no block is past the bodies, and one would store nothing",
    },
    Equivalent {
        kernels: &["periodicFused"],
        code: "for (int source = 0; source < n; source += CHUNK) {",
        changes: &[(Change::Strictness, 2), (Change::Guard, 2)],
        reason: "n is at least 1, and behind the last body a chunk is empty; that the loop ends too early takes more than 4096 bodies",
    },
    Equivalent {
        kernels: &["periodicFused"],
        code: "const int count = min(",
        changes: &[(Change::Clamp, 2)],
        reason: "it takes more than a chunk of 4096 bodies, and the emulator long",
    },
    Equivalent {
        kernels: &["periodicFused"],
        code: "__syncthreads();",
        changes: &[(Change::Barrier, 1)],
        reason: "it takes more than a chunk of 4096 bodies, and the emulator long",
    },
    Equivalent {
        kernels: &["periodicFused"],
        code: "for (int k = t; k < count; k += BLOCK)",
        changes: &[(Change::Guard, 2), (Change::Strictness, 2)],
        reason: "the tests whether four copies are left, and one more: fewer than 4 x 1024 are",
    },
    Equivalent {
        kernels: &["periodicFused"],
        code: "for (int k = group; k < count; k += GROUPS) {",
        changes: &[(Change::Strictness, 1)],
        reason: "three sources that are left over are no four",
    },
    Equivalent {
        kernels: &["periodicFused"],
        code: "if (t % WARP < ACROSS) pulls",
        changes: &[(Change::Guard, 4)],
        reason: "lanes with the same targets store the same sums",
    },
    Equivalent {
        kernels: &["reduceInterleaved_256"],
        code: "__syncthreads();",
        changes: &[(Change::Barrier, 1)],
        reason: "the last level: thread 0 goes on with what it wrote itself",
    },
    Equivalent {
        kernels: &["reduceInterleaved_256"],
        code: "if (t == 0) partials",
        changes: &[(Change::Guard, 1)],
        reason: "all threads store the same sum",
    },
    Equivalent {
        kernels: &["reduceVector_256"],
        code: "const unsigned int count = first < n",
        changes: &[(Change::Strictness, 1)],
        reason: "n - first is 0 for first = n",
    },
    Equivalent {
        kernels: &["reduceVector_256"],
        code: "if (count == SLICE) {",
        changes: &[(Change::Guard, 1)],
        reason: "the loop over single elements adds a whole slice as well",
    },
    Equivalent {
        kernels: &["reduceVector_256", "reduceGridStride_64"],
        code: "if (t % WARP == 0) warp_sums",
        changes: &[(Change::Guard, 1)],
        reason: "all lanes store the same sum",
    },
    Equivalent {
        kernels: &["reduceVector_256", "reduceGridStride_64"],
        code: "return t < WARP ? warp_sum(",
        changes: &[(Change::Guard, 1)],
        reason: "the other warps shuffle among themselves and store nothing",
    },
    Equivalent {
        kernels: &["reduceGridStride_64", "reduceOnePass_64", "reduceStreaming_64"],
        code: "for (; i + (LOADS - 1) * step < count;",
        changes: &[(Change::Guard, 1)],
        reason: "the loop over single groups adds all as well",
    },
    Equivalent {
        kernels: &["reduceOnePass_64", "reduceStreaming_64", "reduceAsyncCopy_64", "reduceBulkCopy_256"],
        code: "if (t % WARP == 0) warp_sums",
        changes: &[(Change::Guard, 2)],
        reason: "all lanes store the same sum",
    },
    Equivalent {
        kernels: &["reduceOnePass_64", "reduceStreaming_64", "reduceAsyncCopy_64", "reduceBulkCopy_256"],
        code: "return t < WARP ? warp_sum(",
        changes: &[(Change::Guard, 2), (Change::Strictness, 1)],
        reason: "the other warps shuffle among themselves and store nothing, and behind the sums of the warps only lanes of other warps read",
    },
    Equivalent {
        kernels: &["reduceOnePass_64", "reduceStreaming_64", "reduceAsyncCopy_64", "reduceBulkCopy_256"],
        code: "__threadfence();",
        changes: &[(Change::Fence, 1)],
        reason: "the reader's fence: the checks take an atomic for one that acquires, and say so",
    },
    Equivalent {
        kernels: &["reduceOnePass_64", "reduceStreaming_64", "reduceAsyncCopy_64", "reduceBulkCopy_256"],
        code: "for (int b = t; b < gridDim.x; b += BLOCK)",
        changes: &[(Change::Guard, 1)],
        reason: "the test before the loop: the compiler tests again in it",
    },
    Equivalent {
        kernels: &["reduceBulkCopy_256"],
        code: "asm volatile(\"fence.mbarrier_init",
        changes: &[(Change::Fence, 1)],
        reason: "the emulator's copy engine comes after all that its thread has done",
    },
    Equivalent {
        kernels: &["reduceBulkCopy_256"],
        code: "do {",
        changes: &[(Change::Clamp, 1)],
        reason: "t is below 768 + 256 in any case",
    },
    Equivalent {
        kernels: &["reduceBulkCopy_256"],
        code: "} while (is_there == 0);",
        changes: &[(Change::Guard, 1), (Change::Strictness, 1)],
        reason: "the emulator waits inside of try_wait for as long as it takes, and t is below 1023 in any case",
    },
    Equivalent {
        kernels: &["reduceBulkCopy_256"],
        code: "for (int k = t; k < CHUNK; k += BLOCK)",
        changes: &[(Change::Guard, 5)],
        reason: "tests of how many loads are left: a chunk is four of every thread, always",
    },
    Equivalent {
        kernels: &["galaxyThirdLaw", "galaxyMixedRoots"],
        code: "__threadfence();",
        changes: &[(Change::Fence, 3)],
        reason: "additions are atomic, and the checks take them for handed over: that a thread counts on the fence of another one of its warp they do not see, and say so",
    },
    Equivalent {
        kernels: &["galaxyThirdLaw", "galaxyMixedRoots"],
        code: "__syncwarp();",
        changes: &[(Change::Barrier, 2)],
        reason: "additions are atomic, and the checks take them for handed over: that a thread counts on the fence of another one of its warp they do not see, and say so",
    },
    Equivalent {
        kernels: &["coulombTile"],
        code: "for (int first = 0; first < atom_count;",
        changes: &[(Change::Guard, 1), (Change::Strictness, 1)],
        reason: "there is at least one atom, and behind the last one a chunk is empty",
    },
    Equivalent {
        kernels: &["coulombSplitAtoms", "coulombSoftwareRoot"],
        code: "for (int first = first_atom; first < last_atom;",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "a slice has at least one atom here, and behind the last one a chunk is empty",
    },
    Equivalent {
        kernels: &["coulombTile"],
        code: "const int count = min(",
        changes: &[(Change::Clamp, 5)],
        reason: "in the count of copies at a time, which four of every thread are more than, and in a count that is negated twice",
    },
    Equivalent {
        kernels: &["coulombSplitAtoms", "coulombSoftwareRoot"],
        code: "const int count = min(",
        changes: &[(Change::Clamp, 3)],
        reason: "in the count of copies at a time, which four of every thread are more than",
    },
    Equivalent {
        kernels: &["coulombTile", "coulombSplitAtoms", "coulombSoftwareRoot"],
        code: "for (int a = threadIdx.x; a < count;",
        changes: &[(Change::Guard, 2), (Change::Strictness, 2)],
        reason: "the loop over four copies at a time: a chunk of 256 atoms is two of every thread",
    },
    Equivalent {
        kernels: &["coulombTile", "coulombSplitAtoms", "coulombSoftwareRoot"],
        code: "for (int a = 0; a < count; ++a) {",
        changes: &[(Change::Guard, 1)],
        reason: "a chunk has at least one atom",
    },
];

/// Of the kernel with a barrier of the grid.
pub const EQUIVALENT_PERSISTENT: &[Equivalent] = &[
    Equivalent {
        kernels: &["periodicPersistent"],
        code: "for (int step = 0; step < steps; ++step) {",
        changes: &[(Change::Guard, 1)],
        reason: "there is at least one step",
    },
    Equivalent {
        kernels: &["periodicPersistent"],
        code: "for (int first = blockIdx.x * OWN;",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "a round behind the last body stores nothing",
    },
    Equivalent {
        kernels: &["periodicPersistent"],
        code: "for (int e = 0; e < EACH; ++e) own[e] =",
        changes: &[(Change::Strictness, 1)],
        reason: "the test before the loop over the chunks: n is at least 1",
    },
    Equivalent {
        kernels: &["periodicPersistent"],
        code: "for (int source = 0; source < n; source += CHUNK) {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 2)],
        reason: "as in periodicFused",
    },
    Equivalent {
        kernels: &["periodicPersistent"],
        code: "const int count = min(",
        changes: &[(Change::Clamp, 7)],
        reason: "it takes more than a chunk of 4096 bodies, and the emulator long",
    },
    Equivalent {
        kernels: &["periodicPersistent"],
        code: "__syncthreads();",
        changes: &[(Change::Barrier, 2)],
        reason: "either of the last one of the grid's barrier and the first one of a chunk: between them a block loads only what it has stored itself",
    },
    Equivalent {
        kernels: &["periodicPersistent"],
        code: "for (int k = t; k < count; k += BLOCK)",
        changes: &[(Change::Guard, 3), (Change::Strictness, 2)],
        reason: "as in periodicFused",
    },
    Equivalent {
        kernels: &["periodicPersistent"],
        code: "for (int k = group; k < count; k += GROUPS) {",
        changes: &[(Change::Guard, 2), (Change::Strictness, 2)],
        reason: "the loop over four sources at a time: these sizes are less than 4 x 128",
    },
    Equivalent {
        kernels: &["periodicPersistent"],
        code: "if (t % WARP < ACROSS) pulls",
        changes: &[(Change::Guard, 4)],
        reason: "lanes with the same targets store the same sums",
    },
    Equivalent {
        kernels: &["periodicPersistent"],
        code: "__threadfence();",
        changes: &[(Change::Fence, 1)],
        reason: "the reader's fence: the checks take a volatile load for one that acquires, and say so",
    },
];
