// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[b BLOCK .. (b + 1) BLOCK), truncated at
// n.
//
// shapes      data: (n), n >= 1, not modified; partials: (grid), 0 for an empty slice; the host adds them up
// launch      a one-dimensional grid of at least ceil(n / BLOCK) blocks, block = BLOCK, which is in the name of the
//             entry point. n need not be a multiple of BLOCK: elements past n count as 0.
// bottleneck  baseline, the first kernel of Harris's slides. Interleaved addressing: every second, fourth, eighth
//             thread adds at a level of the tree, so that warps diverge and stay busy as long as one of their lanes is
//             active. Counters: divergent_branches, thread_instructions.
// idea        none: stage02's 05 improves on this kernel with active threads that are contiguous.
// expected    divergence at five levels of the tree; after the fifth, at most one lane of a warp is active.

template <int BLOCK>
__device__ __forceinline__ void reduce_interleaved(const int* data, int* partials, unsigned int n) {
    __shared__ int tile[BLOCK];
    const int t = threadIdx.x;  // [0, BLOCK)
    const size_t i = (size_t)blockIdx.x * BLOCK + t;

    tile[t] = i < n ? data[i] : 0;
    // threads read elements that others have stored
    __syncthreads();
    for (int stride = 1; stride < BLOCK; stride *= 2) {
        if (t % (2 * stride) == 0) tile[t] += tile[t + stride];
        // the next level reads sums of this level
        __syncthreads();
    }
    if (t == 0) partials[blockIdx.x] = tile[0];
}

#define ENTRY_POINT(BLOCK)                                                                                    \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                       \
        reduceInterleaved_##BLOCK(const int* __restrict__ data, int* __restrict__ partials, unsigned int n) { \
        reduce_interleaved<BLOCK>(data, partials, n);                                                         \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
