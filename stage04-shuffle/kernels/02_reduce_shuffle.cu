// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[4 b BLOCK .. 4 (b + 1) BLOCK), truncated
// at n.
//
// shapes      data: (n), n >= 1, not modified; partials: (grid), 0 for an empty slice; the host adds them up
// launch      a one-dimensional grid of at least ceil(n / (4 BLOCK)) blocks, block = BLOCK, which is in the name of the
//             entry point. n need not be a multiple of 4 BLOCK: elements past n count as 0.
// bottleneck  stage03's 04: in the last levels of the tree each value makes a round trip through shared memory, with a
//             warp barrier in between. Counters: shared_load_requests, shared_store_requests.
// idea        once a single warp remains, its lanes exchange values by shuffles, from register to register. A shuffle
//             also synchronizes the lanes: none continues until all have executed it.
// expected    5 shuffles per block instead of 10 loads and 5 stores in shared memory; everything else as in stage03's
//             04.

template <unsigned int BLOCK>
__device__ __forceinline__ void reduce_shuffle(const int* data, int* partials, unsigned int n) {
    constexpr unsigned int WARP = 32;
    constexpr unsigned int ALL_LANES = 0xffffffff;
    constexpr unsigned int PARTS = 4;  // elements per thread
    constexpr unsigned int SLICE = PARTS * BLOCK;
    static_assert(BLOCK >= 2 * WARP && (BLOCK & (BLOCK - 1)) == 0, "the tree halves whole warps");
    __shared__ int tree[BLOCK];
    const unsigned int t = threadIdx.x;  // [0, BLOCK)
    const size_t first = (size_t)blockIdx.x * SLICE;
    const unsigned int count = first < n ? min(SLICE, n - (unsigned int)first) : 0;  // elements, [0, SLICE]
    const int* const slice = data + first;

    int sum = 0;
    if (count == SLICE) {
        // no branch between the four loads: all are in flight before the first is added
#pragma unroll
        for (unsigned int part = 0; part < PARTS; ++part) sum += slice[part * BLOCK + t];
    } else {
        for (unsigned int k = t; k < count; k += BLOCK) sum += slice[k];
    }
    tree[t] = sum;
    // the first level reads sums of other warps
    __syncthreads();

#pragma unroll
    for (unsigned int half = BLOCK / 2; half >= WARP; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        // the next level reads sums of other warps; outside the `if`, since all threads must reach the barrier
        __syncthreads();
    }

    if (t < WARP) {
        int total = tree[t];
#pragma unroll
        for (unsigned int half = WARP / 2; half > 0; half /= 2) {
            // lanes from `half` on add values that are not needed; lane 0 ends with the sum
            total += __shfl_down_sync(ALL_LANES, total, half);
        }
        if (t == 0) partials[blockIdx.x] = total;
    }
}

#define ENTRY_POINT(BLOCK)                                                                                \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                   \
        reduceShuffle_##BLOCK(const int* __restrict__ data, int* __restrict__ partials, unsigned int n) { \
        reduce_shuffle<BLOCK>(data, partials, n);                                                         \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
