// total = sum of data, in int32 modulo 2^32.
//
// shapes      data: (n), n >= 1, 16-byte aligned, not modified; partials: (grid), scratch space; arrived: 0 before the
//             first launch and again after each; total: one word
// launch      a one-dimensional grid of any number of blocks, block = BLOCK, which is in the name of the entry point;
//             at least 3 threads in total. n is arbitrary. Indices are 32-bit: grid * BLOCK + n < 2^31.
// bottleneck  23: every line that is read evicts another from L2, although nothing is read twice. At n = 2^24, part of
//             the data may still be in L2 from the preceding copy, and is evicted just before it is needed.
// idea        streaming loads, which inform the caches that their data is used once (ld.global.cs, evict first).
// expected    counts as in 23; on a GPU it matters if the data is a few times as large as L2, not far beyond.

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
        for (int k = 0; k < LOADS; ++k) loaded[k] = __ldcs(groups + i + k * step);
#pragma unroll
        for (int k = 0; k < LOADS; ++k) sum += sum_of(loaded[k]);
    }
    for (; i < count; i += step) sum += sum_of(__ldcs(groups + i));
    const unsigned int past = 4 * count + first;
    if (past < n) sum += data[past];
    return sum;
}

// Returns whether this block is the last of the grid to call this; it then sees the earlier stores of the others. All
// threads must call it, after a barrier that follows the block's own store.
__device__ __forceinline__ bool is_last_block(unsigned int* arrived) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        // the sum is stored before the increment: a block that sees the increment sees the sum
        __threadfence();
        is_last = atomicAdd(arrived, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    return is_last;
}

template <int BLOCK>
__device__ __forceinline__ void reduce_streaming(const int* data, int* partials, unsigned int n, unsigned int* arrived,
                                                 int* total) {
    __shared__ int warp_sums[BLOCK / WARP];
    const int t = threadIdx.x;  // [0, BLOCK)
    const int own = block_sum<BLOCK>(own_share<BLOCK>(data, n), warp_sums);
    if (t == 0) partials[blockIdx.x] = own;
    if (!is_last_block(arrived)) return;

    // from L2, which has the stores of other multiprocessors: L1 might contain stale values
    int sum = 0;
    for (int b = t; b < gridDim.x; b += BLOCK) sum += __ldcg(partials + b);
    sum = block_sum<BLOCK>(sum, warp_sums);
    if (t == 0) {
        *total = sum;
        *arrived = 0;  // for the next launch
    }
}

#define ENTRY_POINT(BLOCK)                                                                                \
    extern "C" __global__ void __launch_bounds__(BLOCK) reduceStreaming_##BLOCK(                          \
        const int* __restrict__ data, int* partials, unsigned int n, unsigned int* arrived, int* total) { \
        reduce_streaming<BLOCK>(data, partials, n, arrived, total);                                       \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
