// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[4 b BLOCK .. 4 (b + 1) BLOCK), cut at n.
//
// shapes    data: (n), n >= 1, kept; partials: (grid), 0 where the slice is empty; the host adds them up
// launch    one row of ceil(n / (4 BLOCK)) blocks or more, block = BLOCK, which is in the name of the entry point;
//           4 BLOCK need not divide n: an element past n counts as 0.
// cost      02: the upper levels of the tree still go through shared memory, with a barrier and half of the warps idle
//           at each. Counters: barriers, shared_load_requests, shared_store_requests.
// idea      every warp adds its own 32 values by shuffles; only the sums of warps go through shared memory, once, to
//           the first warp, which shuffles again. One barrier whatever the block's size.
// expected  5 shuffles per warp and 5 per block; in shared memory one store per warp and one load per block, all of 1
//           wavefront; 1 barrier per warp. Global accesses as in 02.

constexpr unsigned int WARP = 32;

// The sum of `value` over the warp, in lane 0; other lanes get a value of no use. All 32 lanes must call.
__device__ __forceinline__ int warp_sum(int value) {
    constexpr unsigned int ALL_LANES = 0xffffffff;
#pragma unroll
    for (unsigned int half = WARP / 2; half > 0; half /= 2) value += __shfl_down_sync(ALL_LANES, value, half);
    return value;
}

template <unsigned int BLOCK>
__device__ __forceinline__ void reduce_shuffle_two_level(const int* data, int* partials, unsigned int n) {
    constexpr unsigned int PARTS = 4;  // elements that a thread adds
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
        // no guard between the four loads, so that all are under way before the first is added
#pragma unroll
        for (unsigned int part = 0; part < PARTS; ++part) sum += slice[part * BLOCK + t];
    } else {
        for (unsigned int k = t; k < count; k += BLOCK) sum += slice[k];
    }
    sum = warp_sum(sum);
    if (t % WARP == 0) warp_sums[t / WARP] = sum;
    // the first warp reads what lane 0 of each has stored
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
