// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[b BLOCK .. (b + 1) BLOCK), cut at n.
//
// shapes    data: (n), n >= 1, kept; partials: (grid), 0 where the slice is empty; the host adds them up
// launch    one row of ceil(n / BLOCK) blocks or more, block = BLOCK, which is in the name of the entry point;
//           BLOCK need not divide n: an element past n counts as 0.
// cost      the first kernel of Harris's slides: a level of the tree is added by every second, fourth, eighth thread, so
//           that a warp works as long as one of its lanes does. Counters: divergent_branches, thread_instructions.
// idea      none: this is what stage02's 05 improves on by choosing threads that follow each other.
// expected  divergence at five levels of the tree; below the fifth at most one lane of a warp works.

template <int BLOCK>
__device__ __forceinline__ void reduce_interleaved(const int* data, int* partials, unsigned int n) {
    __shared__ int tile[BLOCK];
    const int t = threadIdx.x;  // [0, BLOCK)
    const size_t i = (size_t)blockIdx.x * BLOCK + t;

    tile[t] = i < n ? data[i] : 0;
    // a thread reads what another has stored
    __syncthreads();
    for (int stride = 1; stride < BLOCK; stride *= 2) {
        if (t % (2 * stride) == 0) tile[t] += tile[t + stride];
        // the next level reads what this one has added
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
