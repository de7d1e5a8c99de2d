// starts[p][d] = the number of keys whose byte p, from the lowest one on, is below d.
//
// shapes      keys: (n), n >= 1, 16-byte aligned; starts: (PASSES, BINS), to which all blocks add, and done: (1): 0 before the
//             launch
// launch      a one-dimensional grid of any number of blocks, block = 1024; dynamic shared memory for PASSES * BINS * COPIES
//             words. Indices are 32-bit: 2 grid * BLOCK + n / 4 < 2^31.
// bottleneck  the companion of 24.
// idea        a pass moves keys and changes none, so one kernel can count the digits of all passes. It is 16 with four bins
//             per key, whose COPIES copies are in a bank for every other lane. The block that is the last one to have added its
//             bins scans them, as in 25.
// expected    4 bytes per key, in loads of 16 sectors; about one conflict per addition.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int BLOCK = 1024;  // a thread for each digit of each pass
constexpr int PASSES = 4;
constexpr int BINS = 256;
constexpr int COPIES = 16;
constexpr int WIDTH = 4;  // keys per load

// Counts the four digits of a key. Other threads add to `own` at the same time.
__device__ __forceinline__ void count_key(unsigned int* own, unsigned int key) {
#pragma unroll
    for (int pass = 0; pass < PASSES; ++pass) atomicAdd(&own[(pass * BINS + (key >> 8 * pass & 0xff)) * COPIES], 1);
}

__device__ __forceinline__ void count(unsigned int* own, uint4 group) {
    count_key(own, group.x);
    count_key(own, group.y);
    count_key(own, group.z);
    count_key(own, group.w);
}

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

extern "C" __global__ void __launch_bounds__(BLOCK)
    sortHistograms(const unsigned int* __restrict__ keys, unsigned int* starts, unsigned int* done, unsigned int n) {
    extern __shared__ unsigned int copies[];  // (PASSES, BINS, COPIES)
    __shared__ unsigned int sums[BLOCK / WARP];
    __shared__ bool is_last;
    const int t = threadIdx.x;  // [0, BLOCK)
    for (int b = t; b < PASSES * BINS * COPIES; b += BLOCK) copies[b] = 0;
    // the threads of all warps add to these bins
    __syncthreads();

    unsigned int* const own = copies + t % COPIES;
    const uint4* const groups = reinterpret_cast<const uint4*>(keys);
    const unsigned int step = gridDim.x * BLOCK;
    const unsigned int first = blockIdx.x * BLOCK + t;  // [0, step)
    unsigned int i = first;
    for (; i + step < n / WIDTH; i += 2 * step) {
        const uint4 one = groups[i], other = groups[i + step];
        count(own, one);
        count(own, other);
    }
    if (i < n / WIDTH) count(own, groups[i]);
    // the keys past the last whole group, which are fewer than the threads
    const unsigned int past = n / WIDTH * WIDTH + first;
    if (past < n) count_key(own, keys[past]);

    // the copies contain the additions of all threads
    __syncthreads();
    unsigned int sum = 0;
#pragma unroll
    for (int k = 0; k < COPIES; ++k) sum += copies[t * COPIES + (k + t) % COPIES];
    atomicAdd(&starts[t], sum);
    // whoever sees that this block is done sees its additions
    __threadfence();
    __syncthreads();
    if (t == 0) is_last = atomicAdd(done, 1) == gridDim.x - 1;
    // every thread reads whether the block is the last one
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    const unsigned int occurs = starts[t];
    const unsigned int up_to_lane = warp_scan(occurs);
    if (t % WARP == WARP - 1) sums[t / WARP] = up_to_lane;
    // each warp reads the sums of those before it with digits of the same pass
    __syncthreads();
    unsigned int start = up_to_lane - occurs;
    constexpr int WARPS = BINS / WARP;  // of a pass
    const int warp = t / WARP % WARPS;
#pragma unroll
    for (int w = 0; w < WARPS - 1; ++w) start += w < warp ? sums[t / BINS * WARPS + w] : 0;
    starts[t] = start;
}
