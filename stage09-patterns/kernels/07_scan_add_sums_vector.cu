// prefixes[i] += sums[b] for all i in slice b, modulo 2^32: the last pass of kernel 04.
//
// shapes      prefixes: (n), n >= 1, in groups of four; a slice has ROWS rows of block groups; sums: (grid)
// launch      a one-dimensional grid of ceil(n / (32 block)) blocks, any block size: that of the scan.
// bottleneck  part of 04. Memory-bound: it loads and stores the prefixes once more.
// idea        a group of four in each of eight rows, as in the scan.
// expected    a full warp's load or store of prefixes: 1 request of 16 sectors; one load of the sum per thread.

constexpr int WIDTH = 4;  // numbers in a group
constexpr int ROWS = 8;   // groups per thread

extern "C" __global__ void scanAddSumsVector(uint4* __restrict__ prefixes, const unsigned int* __restrict__ sums,
                                             unsigned int n) {
    const unsigned int groups = (n + WIDTH - 1) / WIDTH;
    const unsigned int sum = sums[blockIdx.x];
    const unsigned int first = blockIdx.x * ROWS * blockDim.x + threadIdx.x;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int group = first + row * blockDim.x;
        if (group < groups) {
            const uint4 before = prefixes[group];
            prefixes[group] = make_uint4(before.x + sum, before.y + sum, before.z + sum, before.w + sum);
        }
    }
}
