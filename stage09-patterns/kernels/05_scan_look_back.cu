// prefixes[i] = the sum of all numbers before i, modulo 2^32.
//
// shapes      numbers, prefixes: (n), n >= 1, in groups of four, the last filled up with zeros; a slice has ROWS rows of
//             BLOCK groups; words: (1 + grid), of 64 bits, 0 before the launch: the number of slices that blocks have taken,
//             and the state of each
// launch      a one-dimensional grid of ceil(n / (64 BLOCK)) blocks, block = BLOCK, which is in the name of the
//             entry point.
// bottleneck  04: three launches move the prefixes three times, so 16 bytes per number. Counters: global_load_sectors,
//             global_store_sectors.
// idea        one launch with decoupled look-back: Merrill and Garland, 2016. A block publishes the sum of its slice, and
//             its first warp adds the published sums of the slices before, 32 at a time, until it finds one that is known
//             from the beginning. It waits only for slices that blocks have taken before, and these have started. Twice as
//             many rows as in 04 halve the slices that wait.
// expected    8 bytes per number, and a few words per block. How often blocks look depends on their order.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int THREADS = 768;  // at least so many are on a multiprocessor, with 85 registers each
constexpr int WARP = 32;
constexpr int WIDTH = 4;  // numbers in a group
constexpr int ROWS = 16;  // groups per thread

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

// Returns the sum of `value` over the warp, in all lanes. All 32 lanes must call it.
__device__ __forceinline__ unsigned int warp_sum(unsigned int value) {
#pragma unroll
    for (int mask = WARP / 2; mask > 0; mask /= 2) value += __shfl_xor_sync(ALL_LANES, value, mask);
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

using Word = unsigned long long;

// The state of a slice, in the upper half of its word. The lower half is the sum, and both are stored by one instruction:
// so who sees the state has the sum, and no order of other accesses is needed.
constexpr unsigned int UNKNOWN = 0;   // no sum yet
constexpr unsigned int OF_SLICE = 1;  // the sum of the slice
constexpr unsigned int OF_ALL = 2;    // the sum of all numbers up to the end of the slice

__device__ __forceinline__ Word make_word(unsigned int state, unsigned int sum) {
    return (Word)state << 32 | sum;
}

__device__ __forceinline__ unsigned int state_of(Word word) {
    return word >> 32;
}

// Loads and stores that other blocks may overlap, without any order of other accesses.
__device__ __forceinline__ Word load_relaxed(const Word* address) {
    Word word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(address));
    return word;
}

__device__ __forceinline__ void store_relaxed(Word* address, Word word) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(address), "l"(word));
}

// Returns the sum of all numbers before a slice with this sum, in all lanes, and publishes both. The first warp must call it;
// `words` are those of the slices.
__device__ __forceinline__ unsigned int look_back(Word* words, int slice, unsigned int sum) {
    const int lane = threadIdx.x;
    unsigned int before = 0;
    if (lane == 0 && slice > 0) store_relaxed(words + slice, make_word(OF_SLICE, sum));
    for (int last = slice - 1; last >= 0; last -= WARP) {
        Word word;
        // before the first slice is nothing
        do word = last >= lane ? load_relaxed(words + last - lane) : make_word(OF_ALL, 0);
        while (__any_sync(ALL_LANES, state_of(word) == UNKNOWN));
        const unsigned int known = __ballot_sync(ALL_LANES, state_of(word) == OF_ALL);
        // lane 0 has the nearest slice; those behind the first that is known are part of its sum
        const int nearest = known == 0 ? WARP - 1 : __ffs(known) - 1;
        before += warp_sum(lane <= nearest ? (unsigned int)word : 0);
        if (known != 0) break;
    }
    if (lane == 0) store_relaxed(words + slice, make_word(OF_ALL, before + sum));
    return before;
}

template <int BLOCK>
__device__ __forceinline__ void scan_look_back(const uint4* numbers, uint4* prefixes, Word* words, unsigned int n) {
    constexpr int WARPS = BLOCK / WARP;
    __shared__ unsigned int warp_sums[ROWS * WARPS];  // row by row
    __shared__ unsigned int taken, all_before;
    const unsigned int groups = (n + WIDTH - 1) / WIDTH;
    const int t = threadIdx.x;  // [0, BLOCK)
    // blocks may start in any order; the slices of those that have started are taken from the first on
    if (t == 0) taken = atomicAdd(words, 1ull);
    __syncthreads();
    const unsigned int slice = taken;  // [0, grid)
    const unsigned int first = slice * ROWS * BLOCK + t;

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
        const unsigned int sum_before = look_back(words + 1, slice, sum);
        if (t == 0) all_before = sum_before;
    }
    // every warp reads the sums before the slice, and before its rows in it
    __syncthreads();

    const unsigned int before_slice = all_before;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int group = first + row * BLOCK;
        if (group >= groups) continue;
        const unsigned int before_lane = before_slice + warp_sums[row * WARPS + t / WARP] + before[row];
        prefixes[group] = scan_group(before_lane, own[row]);
    }
}

#define ENTRY_POINT(BLOCK)                                                                              \
    extern "C" __global__ void __launch_bounds__(BLOCK, THREADS / BLOCK) scanLookBack_##BLOCK(          \
        const uint4* __restrict__ numbers, uint4* __restrict__ prefixes, Word* words, unsigned int n) { \
        scan_look_back<BLOCK>(numbers, prefixes, words, n);                                             \
    }

ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
