// y[r] = the sum of values[i] * x[columns[i]] over the elements i of row r, in f32.
//
// shapes      offsets: (n + 1), n >= 1, ascending from 0: the elements of row r are offsets[r] <= i < offsets[r + 1];
//             columns, values: (offsets[n]), columns below n; x, y: (n)
// launch      a one-dimensional grid of ceil(n / (block / 32)) blocks, block a multiple of 32. Warps past n return.
// bottleneck  41: lanes are a row apart, and wait for the longest of 32 rows. Counters: global_load_sectors,
//             divergent_branches.
// idea        one warp per row: lanes take neighboring elements, and a tree of shuffles adds up their sums.
// expected    a load of columns or values: 32 neighbors, up to 5 sectors; 5 shuffles per row. Of a row of 12 elements,
//             20 lanes have none.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr unsigned int WARP = 32;

extern "C" __global__ void sparseRowPerWarp(const unsigned int* __restrict__ offsets,
                                            const unsigned int* __restrict__ columns, const float* __restrict__ values,
                                            const float* __restrict__ x, float* __restrict__ y, unsigned int n) {
    const unsigned int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    const unsigned int lane = threadIdx.x % WARP;
    if (row >= n) return;
    const unsigned int end = offsets[row + 1];
    float sum = 0.0f;
    for (unsigned int i = offsets[row] + lane; i < end; i += WARP) sum += values[i] * x[columns[i]];
#pragma unroll
    for (int mask = WARP / 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, mask);
    if (lane == 0) y[row] = sum;
}
