// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[16 b BLOCK .. 16 (b + 1) BLOCK),
// truncated at n.
//
// shapes      data: (n), n >= 1, 16-byte aligned, not modified; partials: (grid), 0 for an empty slice; the host adds
//             them up
// launch      a one-dimensional grid of at least ceil(n / (16 BLOCK)) blocks, block = BLOCK, which is in the name of
//             the entry point. n need not be a multiple of 16 BLOCK: elements past n count as 0.
// bottleneck  stage04's 03: blocks of 128 threads with four elements each are so many that starting them takes most of
//             the time. No counter shows it; the grid size does. Counter of the loads: global_load_requests.
// idea        vectorized 16-byte loads, four of which are in flight in each thread before the first is added: 64 bytes
//             per thread.
// expected    a quarter of the requests, each of 16 sectors.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;

// Returns the sum of `value` over the warp, in all lanes. All 32 lanes must call it.
__device__ __forceinline__ int warp_sum(int value) {
#pragma unroll
    for (int mask = WARP / 2; mask > 0; mask /= 2) value += __shfl_xor_sync(ALL_LANES, value, mask);
    return value;
}

// Returns the sum of `value` over the block in thread 0. All threads must call it; `warp_sums` has one word per warp.
template <int BLOCK>
__device__ __forceinline__ int block_sum(int value, int* warp_sums) {
    constexpr int WARPS = BLOCK / WARP;
    const int t = threadIdx.x;
    value = warp_sum(value);
    if (t % WARP == 0) warp_sums[t / WARP] = value;
    // the first warp reads the sums stored by lane 0 of each warp
    __syncthreads();
    return t < WARP ? warp_sum(t < WARPS ? warp_sums[t] : 0) : 0;
}

__device__ __forceinline__ int sum_of(int4 values) {
    return values.x + values.y + values.z + values.w;
}

template <int BLOCK>
__device__ __forceinline__ void reduce_vector(const int* data, int* partials, unsigned int n) {
    constexpr int LOADS = 4;  // loads of four elements in flight per thread
    constexpr unsigned int SLICE = 4 * LOADS * BLOCK;
    __shared__ int warp_sums[BLOCK / WARP];
    const unsigned int t = threadIdx.x;  // [0, BLOCK)
    const size_t first = (size_t)blockIdx.x * SLICE;
    const unsigned int count = first < n ? min(SLICE, n - (unsigned int)first) : 0;  // elements, [0, SLICE]

    int sum = 0;
    if (count == SLICE) {
        const int4* const slice = reinterpret_cast<const int4*>(data + first);
        int4 loaded[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) loaded[k] = slice[k * BLOCK + t];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) sum += sum_of(loaded[k]);
    } else {
        for (unsigned int k = t; k < count; k += BLOCK) sum += data[first + k];
    }
    sum = block_sum<BLOCK>(sum, warp_sums);
    if (t == 0) partials[blockIdx.x] = sum;
}

#define ENTRY_POINT(BLOCK)                                                                               \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                  \
        reduceVector_##BLOCK(const int* __restrict__ data, int* __restrict__ partials, unsigned int n) { \
        reduce_vector<BLOCK>(data, partials, n);                                                         \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
