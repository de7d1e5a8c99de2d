// output[r, c] = e^(input[r, c] - m) / sum over k of e^(input[r, k] - m), with the largest element m of row r: the softmax
// of each row of an n x columns matrix of f32 in row-major order.
//
// shapes      input: (n, columns), not modified; output: (n, columns); n and columns >= 1
// launch      n blocks, block a multiple of 32. A block handles a row.
// bottleneck  21: the sum needs the largest element, so that each row is read once for either. Counters:
//             global_load_sectors, barriers.
// idea        one pass for both: the sum is relative to the largest element so far, and is rescaled whenever a larger one
//             comes. Sums of threads are combined in the same way.
// expected    2 loads and 1 store of 4 sectors for a warp's 32 elements. Barriers: 1 per warp. More exponentials than 21.
// measured    on an H200, with rows of 1024 elements, slower than 21: rows stay in the L1 cache, and a thread combines twelve
//             parts for four elements.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int MOST_WARPS = 32;
constexpr float LOWEST = -3.402823466e38f;

// The largest element of a part of a row, and the sum of e^(element - largest).
struct Part {
    float largest, sum;
};

// Returns the part with the elements of both.
__device__ __forceinline__ Part combine(Part a, Part b) {
    const float largest = fmaxf(a.largest, b.largest);
    return {largest, a.sum * expf(a.largest - largest) + b.sum * expf(b.largest - largest)};
}

// Combines the parts of all threads of the block, which all must call it once. `parts` has a place for each warp.
__device__ __forceinline__ Part of_block(Part part, Part* parts) {
#pragma unroll
    for (int mask = WARP / 2; mask > 0; mask /= 2) {
        const float largest = __shfl_xor_sync(ALL_LANES, part.largest, mask);
        const float sum = __shfl_xor_sync(ALL_LANES, part.sum, mask);
        part = combine(part, {largest, sum});
    }
    if (threadIdx.x % WARP == 0) parts[threadIdx.x / WARP] = part;
    // each thread reads the parts of all warps
    __syncthreads();
    part = parts[0];
    for (int warp = 1; warp < blockDim.x / WARP; ++warp) part = combine(part, parts[warp]);
    return part;
}

extern "C" __global__ void softmaxOnline(const float* __restrict__ input, float* __restrict__ output, int n,
                                         int columns) {
    __shared__ Part parts[MOST_WARPS];
    const float* const from = input + (size_t)blockIdx.x * columns;
    float* const to = output + (size_t)blockIdx.x * columns;

    // a thread without elements: finite, because the difference of two infinities is not a number
    Part part = {LOWEST, 0};
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const float x = from[i], largest = fmaxf(part.largest, x);
        part = {largest, part.sum * expf(part.largest - largest) + expf(x - largest)};
    }
    part = of_block(part, parts);

    for (int i = threadIdx.x; i < columns; i += blockDim.x) to[i] = expf(from[i] - part.largest) / part.sum;
}
