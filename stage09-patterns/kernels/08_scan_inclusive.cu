// sums[i] = the sum of all numbers up to number i, in f32.
//
// shapes      numbers, sums: (n), n >= 1, in groups of four, the last filled up with zeros; a slice has ROWS rows of BLOCK
//             groups; words: (1 + grid), of 64 bits, 0 before the launch: the number of slices that blocks have taken, and
//             the state of each
// launch      a one-dimensional grid of ceil(n / (64 BLOCK)) blocks, block = BLOCK, which is in the name of the
//             entry point.
// bottleneck  baseline, as fast as 05. A sum of f32 is rounded, so that 05 would be wrong: it finds the sum before a lane by
//             a subtraction, and in f32 (a + b) - b need not be a. Counters: shuffles, warp_instructions.
// idea        additions alone: the sum before a lane is that of the lane below, one shuffle further. The order of the
//             additions depends on how far a block looks back. So two runs may differ in the last bits, unless all
//             sums are exact.
// expected    8 bytes per number, and a few words per block, as in 05, and a sixth shuffle for each row of a warp.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int THREADS = 768;  // at least so many are on a multiprocessor, with 85 registers each
constexpr int WARP = 32;
constexpr int WIDTH = 4;  // numbers in a group
constexpr int ROWS = 16;  // groups per thread

// Returns the sum of `value` over the lanes up to this one. All 32 lanes must call it.
__device__ __forceinline__ float warp_scan(float value) {
    const int lane = threadIdx.x % WARP;
#pragma unroll
    for (int apart = 1; apart < WARP; apart *= 2) {
        const float before = __shfl_up_sync(ALL_LANES, value, apart);
        if (lane >= apart) value += before;
    }
    return value;
}

// Returns the sum over the lanes before this one, given that up to each. All 32 lanes must call it.
__device__ __forceinline__ float before_lane(float up_to_lane) {
    const float before = __shfl_up_sync(ALL_LANES, up_to_lane, 1);
    return threadIdx.x % WARP == 0 ? 0.0f : before;
}

// Returns the sum of `value` over the warp, in all lanes. All 32 lanes must call it.
__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
    for (int mask = WARP / 2; mask > 0; mask /= 2) value += __shfl_xor_sync(ALL_LANES, value, mask);
    return value;
}

__device__ __forceinline__ float sum_of(float4 group) {
    return group.x + group.y + group.z + group.w;
}

// Returns the sums up to each number of a group, given the sum before the group.
__device__ __forceinline__ float4 scan_group(float before, float4 group) {
    const float first = before + group.x, second = first + group.y, third = second + group.z;
    return make_float4(first, second, third, third + group.w);
}

// Replaces the sums of all warps' rows by the sums before them in the slice, and returns the sum of the slice in all lanes.
// The first warp must call it.
template <int COUNT>
__device__ __forceinline__ float scan_warp_sums(float* warp_sums) {
    constexpr int EACH = COUNT / WARP;
    float* const own = warp_sums + EACH * threadIdx.x;
    float before[EACH], sum = 0.0f;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        before[k] = sum;
        sum += own[k];
    }
    const float up_to_lane = warp_scan(sum), before_own = before_lane(up_to_lane);
#pragma unroll
    for (int k = 0; k < EACH; ++k) own[k] = before_own + before[k];
    return __shfl_sync(ALL_LANES, up_to_lane, WARP - 1);
}

using Word = unsigned long long;

// The state of a slice, in the upper half of its word. The lower half is the sum, and both are stored by one instruction:
// so who sees the state has the sum, and no order of other accesses is needed.
constexpr unsigned int UNKNOWN = 0;   // no sum yet
constexpr unsigned int OF_SLICE = 1;  // the sum of the slice
constexpr unsigned int OF_ALL = 2;    // the sum of all numbers up to the end of the slice

__device__ __forceinline__ Word make_word(unsigned int state, float sum) {
    return (Word)state << 32 | __float_as_uint(sum);
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
__device__ __forceinline__ float look_back(Word* words, int slice, float sum) {
    const int lane = threadIdx.x;
    float before = 0.0f;
    if (lane == 0 && slice > 0) store_relaxed(words + slice, make_word(OF_SLICE, sum));
    for (int last = slice - 1; last >= 0; last -= WARP) {
        Word word;
        // before the first slice is nothing
        do word = last >= lane ? load_relaxed(words + last - lane) : make_word(OF_ALL, 0.0f);
        while (__any_sync(ALL_LANES, state_of(word) == UNKNOWN));
        const unsigned int known = __ballot_sync(ALL_LANES, state_of(word) == OF_ALL);
        // lane 0 has the nearest slice; those behind the first that is known are part of its sum
        const int nearest = known == 0 ? WARP - 1 : __ffs(known) - 1;
        before += warp_sum(lane <= nearest ? __uint_as_float((unsigned int)word) : 0.0f);
        if (known != 0) break;
    }
    if (lane == 0) store_relaxed(words + slice, make_word(OF_ALL, before + sum));
    return before;
}

template <int BLOCK>
__device__ __forceinline__ void scan_inclusive(const float4* numbers, float4* sums, Word* words, unsigned int n) {
    constexpr int WARPS = BLOCK / WARP;
    __shared__ float warp_sums[ROWS * WARPS];  // row by row
    __shared__ float all_before;
    __shared__ unsigned int taken;
    const unsigned int groups = (n + WIDTH - 1) / WIDTH;
    const int t = threadIdx.x;  // [0, BLOCK)
    // blocks may start in any order; the slices of those that have started are taken from the first on
    if (t == 0) taken = atomicAdd(words, 1ull);
    __syncthreads();
    const unsigned int slice = taken;  // [0, grid)
    const unsigned int first = slice * ROWS * BLOCK + t;

    float4 own[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int group = first + row * BLOCK;
        own[row] = group < groups ? numbers[group] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const float up_to_lane = warp_scan(sum_of(own[row]));
        if (t % WARP == WARP - 1) warp_sums[row * WARPS + t / WARP] = up_to_lane;
        own[row] = scan_group(before_lane(up_to_lane), own[row]);
    }
    // the first warp reads the sums of all
    __syncthreads();
    if (t < WARP) {
        const float sum = scan_warp_sums<ROWS * WARPS>(warp_sums);
        const float sum_before = look_back(words + 1, slice, sum);
        if (t == 0) all_before = sum_before;
    }
    // every warp reads the sums before the slice, and before its rows in it
    __syncthreads();

    const float before_slice = all_before;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int group = first + row * BLOCK;
        if (group >= groups) continue;
        const float before_row = before_slice + warp_sums[row * WARPS + t / WARP];
        const float4 in_row = own[row];
        sums[group] =
            make_float4(before_row + in_row.x, before_row + in_row.y, before_row + in_row.z, before_row + in_row.w);
    }
}

#define ENTRY_POINT(BLOCK)                                                                            \
    extern "C" __global__ void __launch_bounds__(BLOCK, THREADS / BLOCK) scanInclusive_##BLOCK(       \
        const float4* __restrict__ numbers, float4* __restrict__ sums, Word* words, unsigned int n) { \
        scan_inclusive<BLOCK>(numbers, sums, words, n);                                               \
    }

ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
