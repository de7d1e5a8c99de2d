// total = sum of data, in int32 modulo 2^32.
//
// shapes    data: (n), n >= 1, at an address that 16 divides, kept; partials: (grid), for the kernel's own use; arrived: 0
//           before the first launch, and again after each; total: one word
// launch    one row of any number of blocks, block = BLOCK, which is in the name of the entry point; at least 3 threads;
//           nothing must divide n. Indices are 32-bit: grid * BLOCK + n < 2^31.
// cost      23: each line that is read takes the place of another in L2, although nothing is read twice. At n = 2^24 half
//           of the data may be in L2 from the copy before, and is driven out just before its turn.
// idea      loads that tell the caches that their data comes once (ld.global.cs, evict first).
// expected  counts as in 23; on a GPU it matters where the data is a few times as large as L2, not far beyond.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;

// The sum of `value` over the warp, in all lanes. All 32 lanes must call.
__device__ __forceinline__ int warp_sum(int value) {
#pragma unroll
    for (int mask = WARP / 2; mask > 0; mask /= 2) value += __shfl_xor_sync(ALL_LANES, value, mask);
    return value;
}

// The sum of `value` over the block, in thread 0. All threads must call; `warp_sums` has one word per warp.
template <int BLOCK>
__device__ __forceinline__ int block_sum(int value, int* warp_sums) {
    constexpr int WARPS = BLOCK / WARP;
    const int t = threadIdx.x;
    value = warp_sum(value);
    if (t % WARP == 0) warp_sums[t / WARP] = value;
    // the first warp reads what lane 0 of each has stored
    __syncthreads();
    return t < WARP ? warp_sum(t < WARPS ? warp_sums[t] : 0) : 0;
}

__device__ __forceinline__ int sum_of(int4 values) {
    return values.x + values.y + values.z + values.w;
}

// The thread's share of the sum: groups of four elements a whole grid apart, then the last elements past them.
template <int BLOCK>
__device__ __forceinline__ int own_share(const int* data, unsigned int n) {
    constexpr int LOADS = 4;  // loads of four elements under way in a thread
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

// Whether this block is the last of the grid to come here; what the others have stored before is then to be seen. All
// threads must call, after a barrier behind the block's own store.
__device__ __forceinline__ bool is_last_block(unsigned int* arrived) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        // the sum before the count: who sees the count sees the sum
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

    // from L2, where the other multiprocessors have stored: an L1 might keep older values
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
