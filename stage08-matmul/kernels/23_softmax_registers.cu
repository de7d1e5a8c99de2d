// output[r, c] = e^(input[r, c] - m) / sum over k of e^(input[r, k] - m), with the largest element m of row r: the softmax
// of each row of an n x columns matrix of f32 in row-major order.
//
// shapes      input: (n, columns), not modified; output: (n, columns); both 16-byte aligned; n >= 1; columns a multiple of
//             4, to which the host pads with -infinity, and at most 32,768
// launch      ceil(n / (32 / warps)) blocks, block = 1024. `warps` warps handle a row: a power of two, at least columns /
//             1024.
// bottleneck  22: each row is read twice, in words. Counters: global_load_sectors, global_load_requests.
// idea        a row stays in registers: eight groups of four elements per thread, loaded by 16 bytes. A row of up to 1024
//             elements needs one warp and no barrier; longer rows have more warps, not more elements per thread.
// expected    1 load and 1 store of 16 sectors for a warp's 128 elements, and half of 22's exponentials. Barriers: none, or
//             2 per warp if a row has several.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int WARPS = 32;  // of the block
constexpr int GROUPS = 8;  // of four elements, per thread
constexpr float LOWEST = -3.402823466e38f;

__device__ __forceinline__ float larger(float a, float b) {
    return fmaxf(a, b);
}

__device__ __forceinline__ float added(float a, float b) {
    return a + b;
}

// Combines the values of all lanes of the warp, which all must call it.
template <typename Combine>
__device__ __forceinline__ float of_warp(float value, Combine combine) {
#pragma unroll
    for (int mask = WARP / 2; mask > 0; mask /= 2) value = combine(value, __shfl_xor_sync(ALL_LANES, value, mask));
    return value;
}

// Combines the values of the row's warps. If it has several, all threads of the block must call it.
template <typename Combine>
__device__ __forceinline__ float of_row(float value, float* values, int warps, Combine combine) {
    value = of_warp(value, combine);
    if (warps == 1) return value;
    const int warp = threadIdx.x / WARP, first = warp / warps * warps;
    if (threadIdx.x % WARP == 0) values[warp] = value;
    // each thread reads the values of the row's warps
    __syncthreads();
    value = values[first];
    for (int i = 1; i < warps; ++i) value = combine(value, values[first + i]);
    return value;
}

extern "C" __global__ void __launch_bounds__(1024)
    softmaxRegisters(const float4* __restrict__ input, float4* __restrict__ output, int n, int columns, int warps) {
    __shared__ float largest_of[WARPS], sum_of[WARPS];
    const int groups = columns / 4;
    const int threads = warps * WARP;     // of a row
    const int t = threadIdx.x % threads;  // in the row
    const int row = blockIdx.x * (WARPS / warps) + threadIdx.x / threads;
    const bool is_row = row < n;
    const float4* const from = input + (size_t)row * groups;
    float4* const to = output + (size_t)row * groups;

    float4 x[GROUPS];
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
        const int group = i * threads + t;
        x[i] = is_row && group < groups ? from[group] : float4{LOWEST, LOWEST, LOWEST, LOWEST};
    }

    float largest = LOWEST;
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) largest = fmaxf(largest, fmaxf(fmaxf(x[i].x, x[i].y), fmaxf(x[i].z, x[i].w)));
    largest = of_row(largest, largest_of, warps, larger);

    float sum = 0;
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
        x[i] = {expf(x[i].x - largest), expf(x[i].y - largest), expf(x[i].z - largest), expf(x[i].w - largest)};
        sum += (x[i].x + x[i].y) + (x[i].z + x[i].w);
    }
    const float factor = 1 / of_row(sum, sum_of, warps, added);

#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
        const int group = i * threads + t;
        if (is_row && group < groups) to[group] = {x[i].x * factor, x[i].y * factor, x[i].z * factor, x[i].w * factor};
    }
}
