// prefixes[i] = the sum of the numbers before i in its slice of BLOCK numbers, modulo 2^32; sums[b] = the sum of slice b.
//
// shapes      numbers, prefixes: (n), n >= 1; sums: (grid)
// launch      a one-dimensional grid of ceil(n / BLOCK) blocks, block = BLOCK, which is in the name of the entry point. Of
//             several sums, the host scans those in the same way; then 06 adds to each slice the sum of those before it.
// bottleneck  02: a barrier for each level of the tree, up and down, and conflicts. Counters: barriers,
//             shared_load_conflicts.
// idea        the steps of 01 within a warp, where shuffles take the place of buffers and barriers: five steps for each
//             warp, and as many for the sums of the warps.
// expected    two barriers per warp; one load and one store of shared memory per warp, and two of the first warp.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;

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

template <int BLOCK>
__device__ __forceinline__ void scan_shuffle(const unsigned int* numbers, unsigned int* prefixes, unsigned int* sums,
                                             unsigned int n) {
    constexpr int WARPS = BLOCK / WARP;
    __shared__ unsigned int warp_sums[WARP];
    const int t = threadIdx.x;                        // [0, BLOCK)
    const unsigned int i = blockIdx.x * BLOCK + t;    // [0, n + BLOCK)
    const unsigned int own = i < n ? numbers[i] : 0;  // behind the last number there are zeros

    const unsigned int sum = warp_scan(own);
    if (t % WARP == WARP - 1) warp_sums[t / WARP] = sum;
    // the first warp reads the sums of all
    __syncthreads();
    if (t < WARP) {
        const unsigned int of_warp = t < WARPS ? warp_sums[t] : 0;
        const unsigned int up_to_warp = warp_scan(of_warp);
        warp_sums[t] = up_to_warp - of_warp;
        if (t == WARPS - 1) sums[blockIdx.x] = up_to_warp;
    }
    // every warp reads the sum of the warps before it
    __syncthreads();

    if (i < n) prefixes[i] = warp_sums[t / WARP] + sum - own;
}

#define ENTRY_POINT(BLOCK)                                                                                 \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                    \
        scanShuffle_##BLOCK(const unsigned int* __restrict__ numbers, unsigned int* __restrict__ prefixes, \
                            unsigned int* __restrict__ sums, unsigned int n) {                             \
        scan_shuffle<BLOCK>(numbers, prefixes, sums, n);                                                   \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
