// partials[b] = sum of the elements of block b, in int32 modulo 2^32: every grid-th group of 4 BLOCK elements.
//
// shapes      data: (n), n >= 1, 16-byte aligned, not modified; partials: (grid), 0 for a block without elements; the
//             host adds them up
// launch      a one-dimensional grid of any number of blocks, block = BLOCK, which is in the name of the entry point;
//             at least 3 threads in total. n is arbitrary. Indices are 32-bit: grid * BLOCK + n < 2^31.
// bottleneck  21: one block per 16 BLOCK elements. At n = 2^30 these are a quarter of a million blocks, each of which
//             starts, loads once, and waits at its barrier with nothing in flight. Counters: barriers,
//             global_store_requests.
// idea        a grid-stride loop: only as many blocks as the device can hold at once, whose threads keep loading until
//             the elements end.
// expected    global loads as in 21; barriers and stored sums depend on the grid size only, not on n.

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

// Returns the thread's partial sum: groups of four elements with a stride of the grid, then the remaining elements.
template <int BLOCK>
__device__ __forceinline__ int own_share(const int* data, unsigned int n) {
    constexpr int LOADS = 4;  // loads of four elements in flight per thread
    const int4* const groups = reinterpret_cast<const int4*>(data);
    const unsigned int count = n / 4;  // groups
    const unsigned int step = gridDim.x * BLOCK;
    const unsigned int first = blockIdx.x * BLOCK + threadIdx.x;  // [0, step)

    int sum = 0;
    unsigned int i = first;
    for (; i + (LOADS - 1) * step < count; i += LOADS * step) {
        int4 loaded[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) loaded[k] = groups[i + k * step];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) sum += sum_of(loaded[k]);
    }
    for (; i < count; i += step) sum += sum_of(groups[i]);
    const unsigned int past = 4 * count + first;
    if (past < n) sum += data[past];
    return sum;
}

template <int BLOCK>
__device__ __forceinline__ void reduce_grid_stride(const int* data, int* partials, unsigned int n) {
    __shared__ int warp_sums[BLOCK / WARP];
    const int sum = block_sum<BLOCK>(own_share<BLOCK>(data, n), warp_sums);
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

#define ENTRY_POINT(BLOCK)                                                                                   \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                      \
        reduceGridStride_##BLOCK(const int* __restrict__ data, int* __restrict__ partials, unsigned int n) { \
        reduce_grid_stride<BLOCK>(data, partials, n);                                                        \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
