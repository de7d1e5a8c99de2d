// prefixes[i] = the sum of the numbers before i in its slice, modulo 2^32; sums[b] = the sum of slice b.
//
// shapes      numbers, prefixes: (n), n >= 1, in groups of four, the last filled up with zeros; a slice has ROWS rows of
//             BLOCK groups; sums: (grid)
// launch      a one-dimensional grid of ceil(n / (32 BLOCK)) blocks, block = BLOCK, which is in the name of the
//             entry point. Of several sums, the host scans those in the same way; then 07 adds to each slice the sum of
//             those before it.
// bottleneck  03: a scan over lanes, two barriers and a sum of the block for one number per thread. Counters: shuffles,
//             barriers.
// idea        32 numbers per thread: a group of four in each of eight rows. A group is one load, all eight are in flight
//             before the first is used, and threads with neighboring groups still access neighboring memory.
// expected    one request of 16 sectors for 128 numbers, loads and stores; a 32nd of the barriers and sums of 03.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int WIDTH = 4;  // numbers in a group
constexpr int ROWS = 8;   // groups per thread

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

__device__ __forceinline__ unsigned int sum_of(uint4 group) {
    return group.x + group.y + group.z + group.w;
}

// Returns the sums before each number of a group, given the sum before the group.
__device__ __forceinline__ uint4 scan_group(unsigned int before, uint4 group) {
    const unsigned int second = before + group.x, third = second + group.y;
    return make_uint4(before, second, third, third + group.z);
}

// Replaces the sums of all warps' rows by the sums before them in the slice, and returns the sum of the slice in all lanes.
// The first warp must call it.
template <int COUNT>
__device__ __forceinline__ unsigned int scan_warp_sums(unsigned int* warp_sums) {
    constexpr int EACH = COUNT / WARP;
    unsigned int* const own = warp_sums + EACH * threadIdx.x;
    unsigned int before[EACH], sum = 0;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        before[k] = sum;
        sum += own[k];
    }
    const unsigned int up_to_lane = warp_scan(sum);
#pragma unroll
    for (int k = 0; k < EACH; ++k) own[k] = up_to_lane - sum + before[k];
    return __shfl_sync(ALL_LANES, up_to_lane, WARP - 1);
}

template <int BLOCK>
__device__ __forceinline__ void scan_vector(const uint4* numbers, uint4* prefixes, unsigned int* sums, unsigned int n) {
    constexpr int WARPS = BLOCK / WARP;
    __shared__ unsigned int warp_sums[ROWS * WARPS];  // row by row
    const unsigned int groups = (n + WIDTH - 1) / WIDTH;
    const int t = threadIdx.x;  // [0, BLOCK)
    const unsigned int first = blockIdx.x * ROWS * BLOCK + t;

    uint4 own[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int group = first + row * BLOCK;
        own[row] = group < groups ? numbers[group] : make_uint4(0, 0, 0, 0);
    }
    unsigned int before[ROWS];  // the sum of the lanes before this one
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int sum = warp_scan(sum_of(own[row]));
        if (t % WARP == WARP - 1) warp_sums[row * WARPS + t / WARP] = sum;
        before[row] = sum - sum_of(own[row]);
    }
    // the first warp reads the sums of all
    __syncthreads();
    if (t < WARP) {
        const unsigned int sum = scan_warp_sums<ROWS * WARPS>(warp_sums);
        if (t == 0) sums[blockIdx.x] = sum;
    }
    // every warp reads the sums before its rows
    __syncthreads();

#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int group = first + row * BLOCK;
        if (group >= groups) continue;
        const unsigned int before_lane = warp_sums[row * WARPS + t / WARP] + before[row];
        prefixes[group] = scan_group(before_lane, own[row]);
    }
}

#define ENTRY_POINT(BLOCK)                                                                  \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                     \
        scanVector_##BLOCK(const uint4* __restrict__ numbers, uint4* __restrict__ prefixes, \
                           unsigned int* __restrict__ sums, unsigned int n) {               \
        scan_vector<BLOCK>(numbers, prefixes, sums, n);                                     \
    }

ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
