// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[4 b BLOCK .. 4 (b + 1) BLOCK), truncated
// at n.
//
// shapes      data: (n), n >= 1, not modified; partials: (grid), 0 for an empty slice; the host adds them up
// launch      a one-dimensional grid of at least ceil(n / (4 BLOCK)) blocks, block = BLOCK, which is in the name of the
//             entry point. n need not be a multiple of 4 BLOCK: elements past n count as 0.
// bottleneck  02: the upper levels of the tree still go through shared memory, each with a barrier, and half of the
//             warps drop out at each. Counters: barriers, shared_load_requests, shared_store_requests.
// idea        every warp reduces its own 32 values by shuffles. Only the warp sums go through shared memory, once, to
//             the first warp, which reduces them by shuffles as well. One barrier suffices for every block size.
// expected    5 shuffles per warp and 5 per block; in shared memory one store per warp and one load per block, all of 1
//             wavefront; 1 barrier per warp. Global accesses as in 02.

constexpr unsigned int WARP = 32;

// Returns the sum of `value` over the warp in lane 0; undefined in other lanes. All 32 lanes must call it.
__device__ __forceinline__ int warp_sum(int value) {
    constexpr unsigned int ALL_LANES = 0xffffffff;
#pragma unroll
    for (unsigned int half = WARP / 2; half > 0; half /= 2) value += __shfl_down_sync(ALL_LANES, value, half);
    return value;
}

template <unsigned int BLOCK>
__device__ __forceinline__ void reduce_shuffle_two_level(const int* data, int* partials, unsigned int n) {
    constexpr unsigned int PARTS = 4;  // elements per thread
    constexpr unsigned int SLICE = PARTS * BLOCK;
    constexpr unsigned int WARPS = BLOCK / WARP;
    static_assert(BLOCK % WARP == 0 && WARPS <= WARP, "one warp adds the sums of all");
    __shared__ int warp_sums[WARPS];
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
    sum = warp_sum(sum);
    if (t % WARP == 0) warp_sums[t / WARP] = sum;
    // the first warp reads the sums stored by lane 0 of each warp
    __syncthreads();

    if (t < WARP) {
        const int total = warp_sum(t < WARPS ? warp_sums[t] : 0);
        if (t == 0) partials[blockIdx.x] = total;
    }
}

#define ENTRY_POINT(BLOCK)                                                                                        \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                           \
        reduceShuffleTwoLevel_##BLOCK(const int* __restrict__ data, int* __restrict__ partials, unsigned int n) { \
        reduce_shuffle_two_level<BLOCK>(data, partials, n);                                                       \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
