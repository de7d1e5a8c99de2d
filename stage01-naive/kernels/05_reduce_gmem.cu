// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[b * block .. (b + 1) * block), truncated
// at n.
//
// shapes      data: (n), n >= 1, overwritten; partials: (grid), 0 for an empty slice; the host adds them up
// launch      a one-dimensional grid of at least ceil(n / block) blocks; block a power of two in [32, 1024], which the
//             host checks. n need not be a multiple of the block size: elements past n are skipped.
// bottleneck  baseline. Every level of the tree goes through global memory: almost 2 n words are read and n written,
//             where the minimum is n read and one per block written. Counters: global_load_sectors,
//             global_store_sectors.
// idea        an in-place tree reduction that halves the number of active threads at each level. The last warp needs no
//             block-wide barrier, so its levels are unrolled.
// expected    a full warp's load or store: 1 request of 4 sectors; the last warp's levels: 2, 1, 1, 1, 1 sectors.

extern "C" __global__ void reduceGmem(int* data, int* partials, unsigned int n) {
    constexpr unsigned int WARP = 32;
    const unsigned int t = threadIdx.x;  // [0, block)
    const size_t first = (size_t)blockIdx.x * blockDim.x;
    const unsigned int count = first < n ? min(blockDim.x, n - (unsigned int)first) : 0;  // elements, [0, block]
    int* const slice = data + first;

    for (unsigned int half = blockDim.x / 2; half >= WARP; half /= 2) {
        if (t < half && t + half < count) slice[t] += slice[t + half];
        // the next level reads sums of other warps; outside the `if`, since all threads must reach the barrier
        __syncthreads();
    }

    if (t < WARP) {
#pragma unroll
        for (unsigned int half = WARP / 2; half > 0; half /= 2) {
            if (t < half && t + half < count) slice[t] += slice[t + half];
            // since Volta, lanes do not run in lockstep, and the next level reads sums of other lanes
            __syncwarp();
        }
    }

    if (t == 0) partials[blockIdx.x] = count > 0 ? slice[0] : 0;
}
