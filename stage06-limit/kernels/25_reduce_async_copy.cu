// total = sum of data, in int32 modulo 2^32.
//
// shapes      data: (n), n >= 1, 16-byte aligned, not modified; partials: (grid), scratch space; arrived: 0 before the
//             first launch and again after each; total: one word
// launch      requires compute capability 8.0; a one-dimensional grid of any number of blocks, block = BLOCK, which is
//             in the name of the entry point; at least 3 threads in total. n is arbitrary.
// bottleneck  23: data in flight occupies registers, four 16-byte loads per thread, and a thread waits for all four
//             before it issues more. Counter: global_load_requests.
// idea        asynchronous copies (cp.async) move 16 bytes from global to shared memory without passing through
//             registers. Each thread has a ring buffer of four stages, waits only for the oldest, and refills it: three
//             are always in flight. No other thread reads its stages, so that no barrier is needed.
// expected    copies instead of loads: 16 sectors per request; each value is then loaded from shared memory.

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

// Starts an asynchronous copy of 16 bytes from global to shared memory.
__device__ __forceinline__ void copy_async(int4* stage, const int4* source) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned int)__cvta_generic_to_shared(stage)),
                 "l"(__cvta_generic_to_global(source))
                 : "memory");
}

// Commits the thread's copies since the last call as one group, which may be empty.
__device__ __forceinline__ void close_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `OTHERS` of the thread's groups are in flight.
template <int OTHERS>
__device__ __forceinline__ void wait_but_for() {
    asm volatile("cp.async.wait_group %0;" ::"n"(OTHERS) : "memory");
}

// Returns the thread's partial sum: groups of four elements with a stride of the grid, then the remaining elements.
template <int BLOCK>
__device__ __forceinline__ int own_share(const int* data, unsigned int n) {
    constexpr int STAGES = 4;
    __shared__ int4 stages[STAGES][BLOCK];
    const int4* const groups = reinterpret_cast<const int4*>(data);
    const int t = threadIdx.x;   // [0, BLOCK)
    const size_t count = n / 4;  // groups
    const size_t step = (size_t)gridDim.x * BLOCK;
    const size_t first = (size_t)blockIdx.x * BLOCK + t;  // [0, step)

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (first + s * step < count) copy_async(&stages[s][t], groups + first + s * step);
        close_group();
    }
    int sum = 0, stage = 0;
    for (size_t i = first; i < count; i += step) {
        // the oldest stage has arrived
        wait_but_for<STAGES - 2>();
        sum += sum_of(stages[stage][t]);
        const size_t next = i + (STAGES - 1) * step;
        if (next < count) copy_async(&stages[(stage + STAGES - 1) % STAGES][t], groups + next);
        close_group();
        stage = (stage + 1) % STAGES;
    }
    if (4 * count + first < n) sum += data[4 * count + first];
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
__device__ __forceinline__ void reduce_async_copy(const int* data, int* partials, unsigned int n, unsigned int* arrived,
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
    extern "C" __global__ void __launch_bounds__(BLOCK) reduceAsyncCopy_##BLOCK(                          \
        const int* __restrict__ data, int* partials, unsigned int n, unsigned int* arrived, int* total) { \
        reduce_async_copy<BLOCK>(data, partials, n, arrived, total);                                      \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
