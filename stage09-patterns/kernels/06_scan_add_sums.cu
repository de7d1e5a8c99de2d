// prefixes[i] += sums[b] for all i in slice b, modulo 2^32: the last pass of the kernels 01 to 03.
//
// shapes      prefixes: (n), n >= 1; sums: (grid)
// launch      a one-dimensional grid of ceil(n / block) blocks, any block size: that of the scan. Threads past n return.
// bottleneck  part of 01 to 03. Memory-bound: it loads and stores the prefixes once more.
// idea        the sum before a slice is the same for all of its numbers.
// expected    a full warp's load or store of prefixes: 1 request of 4 sectors; of the sum, 1 request of 1 sector.

extern "C" __global__ void scanAddSums(unsigned int* prefixes, const unsigned int* __restrict__ sums, unsigned int n) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) prefixes[i] += sums[blockIdx.x];
}
