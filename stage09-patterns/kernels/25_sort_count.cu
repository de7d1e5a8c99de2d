// starts[d][b] = the number of keys with a digit below d, and of those with digit d in tiles before b: where in the order of
// the digits those of tile b with digit d begin. A digit is `bits` bits from bit `shift` on.
//
// shapes      keys: (n), n >= 1; starts: (2^bits, grid), bits in [1, 4], and room for a multiple of 8 words; done: (1), 0
//             before the launch, and after it
// launch      a one-dimensional grid of ceil(n / (4 block)) blocks, block = 1024.
// bottleneck  the companion of 21 to 23.
// idea        each block counts its tile. The block that is the last one to have stored its counts scans those of all, so
//             no further launch is needed. It takes 8192 of them at a time.
// expected    4 bytes per key, and one block at work while it scans 2^bits counts of each tile.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int BLOCK = 1024;
constexpr int WARPS = BLOCK / WARP;
constexpr int TILE = 4096;
constexpr int MOST_BINS = 16;
constexpr int EACH = 8;  // counts per thread in a round of the scan

// Returns the sum of `value` over the lanes up to this one. All 32 lanes must call it.
__device__ __forceinline__ unsigned int warp_scan(unsigned int value) {
    const int lane = threadIdx.x % WARP;
#pragma unroll
    for (int apart = 1; apart < WARP; apart *= 2) {
        const unsigned int before = __shfl_up_sync(ALL_LANES, value, apart);
        if (lane >= apart) value += before;
    }
    return value;
}

// Replaces each value by the sum of all before it. There is room for a multiple of EACH values, and those behind the last one
// are overwritten. All threads of the block must call it.
__device__ __forceinline__ void block_scan(unsigned int* values, unsigned int count) {
    __shared__ unsigned int sums[WARPS];  // of the warps up to each
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    unsigned int before = 0;  // the sum of all rounds before
    for (unsigned int round = 0; round < count; round += BLOCK * EACH) {
        const unsigned int first = round + threadIdx.x * EACH;
        unsigned int own[EACH], sum = 0;
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            own[k] = first < count ? values[first + k] : 0;
            sum += own[k];
        }
        const unsigned int up_to_lane = warp_scan(sum);
        if (lane == WARP - 1) sums[warp] = up_to_lane;
        // the first warp reads the sums of all
        __syncthreads();
        if (warp == 0) sums[lane] = warp_scan(sums[lane]);
        // every warp reads the sum up to the one before it, and up to the last one
        __syncthreads();
        unsigned int prefix = before + up_to_lane - sum + (warp > 0 ? sums[warp - 1] : 0);
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            if (first < count) values[first + k] = prefix;
            prefix += own[k];
        }
        before += sums[WARPS - 1];
        // all have read the sums, which the next round overwrites
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    sortCount(const unsigned int* __restrict__ keys, unsigned int* starts, unsigned int* done, unsigned int n,
              unsigned int shift, unsigned int bits) {
    __shared__ unsigned int bins[MOST_BINS];
    __shared__ bool is_last;
    const int t = threadIdx.x;  // [0, BLOCK)
    const unsigned int bin_count = 1u << bits;
    if (t < bin_count) bins[t] = 0;
    // all threads count
    __syncthreads();
#pragma unroll
    for (int row = 0; row < TILE / BLOCK; ++row) {
        const unsigned int i = blockIdx.x * TILE + row * BLOCK + t;
        if (i < n) atomicAdd(&bins[keys[i] >> shift & bin_count - 1], 1);
    }
    // the bins contain the counts of all threads
    __syncthreads();
    if (t < bin_count) starts[t * gridDim.x + blockIdx.x] = bins[t];
    // whoever sees that this block is done sees its counts
    __threadfence();
    __syncthreads();
    if (t == 0) is_last = atomicAdd(done, 1) == gridDim.x - 1;
    // every thread reads whether the block is the last one
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    block_scan(starts, bin_count * gridDim.x);
    if (t == 0) *done = 0;
}
