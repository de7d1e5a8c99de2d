// y[r] = the sum of values[i] * x[columns[i]] over the elements i of row r, in f32.
//
// shapes      offsets: (n + 1), n >= 1, ascending from 0: the elements of row r are offsets[r] <= i < offsets[r + 1];
//             columns, values: (offsets[n]), columns below n; x, y: (n)
// launch      a one-dimensional grid of ceil(n / (block / lanes)) blocks, block a multiple of 32; lanes a power of two from
//             2 to 32.
// bottleneck  43: a lane loads a column, waits, loads from x, waits, and only then loads the next column. Counters:
//             warp_instructions, thread_instructions.
// idea        a lane takes four elements at once: first it loads four columns and values, then from x four times.
// expected    as many requests and sectors as in 43. A row that is short enough takes one round.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr unsigned int EACH = 4;  // elements per lane in flight

extern "C" __global__ void sparseFourInFlight(const unsigned int* __restrict__ offsets,
                                              const unsigned int* __restrict__ columns,
                                              const float* __restrict__ values, const float* __restrict__ x,
                                              float* __restrict__ y, unsigned int n, unsigned int lanes) {
    const int shift = __ffs(lanes) - 1;  // instead of divisions by a power of two
    const unsigned int row = blockIdx.x * (blockDim.x >> shift) + (threadIdx.x >> shift);
    const unsigned int lane = threadIdx.x & (lanes - 1);
    unsigned int begin = 0, end = 0;  // the groups past n take part in the shuffles
    if (row < n) {
        begin = offsets[row];
        end = offsets[row + 1];
    }
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned int i = begin + lane; i < end; i += EACH * lanes) {
        unsigned int column[EACH];
        float value[EACH];
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            const bool is_in = i + k * lanes < end;
            column[k] = is_in ? columns[i + k * lanes] : 0;
            value[k] = is_in ? values[i + k * lanes] : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < EACH; ++k)
            if (i + k * lanes < end) sum += value[k] * x[column[k]];
    }
    for (unsigned int mask = lanes / 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, mask);
    if (lane == 0 && row < n) y[row] = sum;
}
