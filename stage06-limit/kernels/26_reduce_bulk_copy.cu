// total = sum of data, in int32 modulo 2^32.
//
// shapes      data: (n), n >= 1, 16-byte aligned, not modified; partials: (grid), scratch space; arrived: 0 before the
//             first launch and again after each; total: one word
// launch      requires compute capability 9.0; a one-dimensional grid of any number of blocks, block = BLOCK, which is
//             in the name of the entry point, with 256 * block bytes of dynamic shared memory. n is arbitrary.
// bottleneck  25: every thread computes addresses and issues copies of 16 bytes. Counters: warp_instructions,
//             async_copy_requests.
// idea        bulk copies (cp.async.bulk): one thread requests 16 KB, a copy engine transfers them, and a barrier
//             object in shared memory (mbarrier) counts the bytes that have arrived. A ring buffer of four chunks; the
//             block refills a chunk when all of its threads have read it.
// expected    no loads from global memory except for the last elements; one barrier per chunk.

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

constexpr int CHUNK_BYTES = 16 << 10;
constexpr int CHUNK = CHUNK_BYTES / sizeof(int4);  // groups of four elements
constexpr int STAGES = 4;

__device__ __forceinline__ unsigned int shared_address(const void* pointer) {
    return (unsigned int)__cvta_generic_to_shared(pointer);
}

// Starts an asynchronous copy of a chunk, whose bytes `arrival` counts.
__device__ __forceinline__ void copy_chunk(int4* stage, const int4* source, unsigned long long* arrival) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(arrival)), "r"(CHUNK_BYTES)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(stage)),
                 "l"(__cvta_generic_to_global(source)), "r"(CHUNK_BYTES), "r"(shared_address(arrival))
                 : "memory");
}

// Waits until the phase of that parity has completed: all bytes of the chunk have arrived.
__device__ __forceinline__ void wait_for(unsigned long long* arrival, unsigned int parity) {
    unsigned int is_there;
    do {
        asm volatile(
            "{\n"
            ".reg .pred ended;\n"
            "mbarrier.try_wait.parity.shared.b64 ended, [%1], %2;\n"
            "selp.u32 %0, 1, 0, ended;\n"
            "}"
            : "=r"(is_there)
            : "r"(shared_address(arrival)), "r"(parity)
            : "memory");
    } while (is_there == 0);
}

// Returns the thread's partial sum: of every grid-th chunk, then of the elements after the last whole chunk.
template <int BLOCK>
__device__ __forceinline__ int own_share(const int* data, unsigned int n) {
    extern __shared__ __align__(128) int4 stages[];  // (STAGES, CHUNK)
    __shared__ unsigned long long arrivals[STAGES];
    const int4* const groups = reinterpret_cast<const int4*>(data);
    const int t = threadIdx.x;  // [0, BLOCK)
    const size_t chunks = n / (4 * CHUNK);
    if (t == 0) {
        for (int s = 0; s < STAGES; ++s) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&arrivals[s])) : "memory");
        }
        // makes the initialized barriers visible to the copy engine
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int s = 0; s < STAGES; ++s) {
            const size_t chunk = blockIdx.x + (size_t)s * gridDim.x;
            if (chunk < chunks) copy_chunk(stages + s * CHUNK, groups + chunk * CHUNK, &arrivals[s]);
        }
    }
    // no thread may wait on a barrier before it is initialized
    __syncthreads();

    int sum = 0;
    unsigned int round = 0;
    for (size_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x, ++round) {
        const int s = round % STAGES;
        wait_for(&arrivals[s], round / STAGES % 2);
        for (int k = t; k < CHUNK; k += BLOCK) sum += sum_of(stages[s * CHUNK + k]);
        // all threads must have read the chunk before the next one overwrites it
        __syncthreads();
        const size_t next = chunk + (size_t)STAGES * gridDim.x;
        if (t == 0 && next < chunks) copy_chunk(stages + s * CHUNK, groups + next * CHUNK, &arrivals[s]);
    }
    for (size_t i = 4 * CHUNK * chunks + (size_t)blockIdx.x * BLOCK + t; i < n; i += (size_t)gridDim.x * BLOCK) {
        sum += data[i];
    }
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
__device__ __forceinline__ void reduce_bulk_copy(const int* data, int* partials, unsigned int n, unsigned int* arrived,
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
    extern "C" __global__ void __launch_bounds__(BLOCK) reduceBulkCopy_##BLOCK(                           \
        const int* __restrict__ data, int* partials, unsigned int n, unsigned int* arrived, int* total) { \
        reduce_bulk_copy<BLOCK>(data, partials, n, arrived, total);                                       \
    }

ENTRY_POINT(256)
