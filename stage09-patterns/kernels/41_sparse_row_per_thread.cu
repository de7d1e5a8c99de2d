// y[r] = the sum of values[i] * x[columns[i]] over the elements i of row r, in f32.
//
// shapes      offsets: (n + 1), n >= 1, ascending from 0: the elements of row r are offsets[r] <= i < offsets[r + 1];
//             columns, values: (offsets[n]), columns below n; x, y: (n)
// launch      a one-dimensional grid of ceil(n / block) blocks, any block size. Threads past n return.
// bottleneck  baseline. Neighboring threads are a row apart, so a load of a warp has up to 32 sectors, and a warp takes as
//             long as its longest row. Counters: global_load_sectors, divergent_branches.
// idea        one thread per row.
// expected    8 bytes of a sector of columns and one of values per element and load, from the L1 cache if it still has
//             the sector at the next element.

extern "C" __global__ void sparseRowPerThread(const unsigned int* __restrict__ offsets,
                                              const unsigned int* __restrict__ columns,
                                              const float* __restrict__ values, const float* __restrict__ x,
                                              float* __restrict__ y, unsigned int n) {
    const unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    const unsigned int end = offsets[row + 1];
    float sum = 0.0f;
    // one element at a time, so that lanes with rows of different lengths stay together
#pragma unroll 1
    for (unsigned int i = offsets[row]; i < end; ++i) sum += values[i] * x[columns[i]];
    y[row] = sum;
}
