// output[r, c] = e^(input[r, c] - m) / sum over k of e^(input[r, k] - m), with the largest element m of row r: the softmax
// of each row of an n x columns matrix of f32 in row-major order.
//
// shapes      input: (n, columns), not modified; output: (n, columns); n and columns >= 1
// launch      n blocks, block a multiple of 32. A block handles a row.
// bottleneck  baseline. Each element is read three times and its exponential computed twice. Counters:
//             global_load_sectors, barriers.
// idea        none: a pass for the largest element, one for the sum, one for the quotients.
// expected    3 loads and 1 store of 4 sectors for a warp's 32 elements. Barriers: 4 per warp.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int MOST_WARPS = 32;
constexpr float LOWEST = -3.402823466e38f;

// Combines the values of all threads of the block, which all must call it. `values` has a word for each warp.
template <typename Combine>
__device__ __forceinline__ float of_block(float value, float* values, Combine combine) {
#pragma unroll
    for (int mask = WARP / 2; mask > 0; mask /= 2) value = combine(value, __shfl_xor_sync(ALL_LANES, value, mask));
    // all warps have read the values of an earlier call
    __syncthreads();
    if (threadIdx.x % WARP == 0) values[threadIdx.x / WARP] = value;
    // each thread reads the values of all warps
    __syncthreads();
    value = values[0];
    for (int warp = 1; warp < blockDim.x / WARP; ++warp) value = combine(value, values[warp]);
    return value;
}

extern "C" __global__ void softmaxThreePasses(const float* __restrict__ input, float* __restrict__ output, int n,
                                              int columns) {
    __shared__ float values[MOST_WARPS];
    const float* const from = input + (size_t)blockIdx.x * columns;
    float* const to = output + (size_t)blockIdx.x * columns;

    float largest = LOWEST;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) largest = fmaxf(largest, from[i]);
    largest = of_block(largest, values, [](float a, float b) { return fmaxf(a, b); });

    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(from[i] - largest);
    sum = of_block(sum, values, [](float a, float b) { return a + b; });

    for (int i = threadIdx.x; i < columns; i += blockDim.x) to[i] = expf(from[i] - largest) / sum;
}
