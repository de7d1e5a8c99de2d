// y[r] = the sum of values[i] * x[columns[i]] over the elements i of row r, in f32.
//
// shapes      offsets: (n + 1), n >= 1, ascending from 0: the elements of row r are offsets[r] <= i < offsets[r + 1];
//             columns, values: (offsets[n]), columns below n; x, y: (n)
// launch      a one-dimensional grid of ceil(n / (block / lanes)) blocks, block a multiple of 32; lanes a power of two from
//             2 to 32.
// bottleneck  42: most rows have fewer elements than a warp has lanes, so most lanes of the last load have none. Counters:
//             global_load_requests, thread_instructions.
// idea        a group of lanes per row, as many as the host chooses for the average length: several rows per warp.
// expected    a warp still loads its rows' elements from neighboring places. But a row of many elements takes as many
//             more rounds as its group has fewer lanes, and the other groups of its warp wait.

constexpr unsigned int ALL_LANES = 0xffffffff;

extern "C" __global__ void sparseRowPerGroup(const unsigned int* __restrict__ offsets,
                                             const unsigned int* __restrict__ columns, const float* __restrict__ values,
                                             const float* __restrict__ x, float* __restrict__ y, unsigned int n,
                                             unsigned int lanes) {
    const int shift = __ffs(lanes) - 1;  // instead of divisions by a power of two
    const unsigned int row = blockIdx.x * (blockDim.x >> shift) + (threadIdx.x >> shift);
    const unsigned int lane = threadIdx.x & (lanes - 1);
    unsigned int begin = 0, end = 0;  // the groups past n take part in the shuffles
    if (row < n) {
        begin = offsets[row];
        end = offsets[row + 1];
    }
    float sum = 0.0f;
    for (unsigned int i = begin + lane; i < end; i += lanes) sum += values[i] * x[columns[i]];
    for (unsigned int mask = lanes / 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, mask);
    if (lane == 0 && row < n) y[row] = sum;
}
