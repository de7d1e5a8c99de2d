// y[r] += open_sums[b] for all blocks b of 46 with open_rows[b] = r < n, in order: the last pass of kernel 46.
//
// shapes      open_rows, open_sums: (blocks), rows in ascending order; y: (n)
// launch      a one-dimensional grid of at least ceil(blocks / block) blocks, any block size. Threads past the blocks of 46
//             return.
// bottleneck  part of 46. There is a sum for thousands of elements.
// idea        the first of the blocks with the same row adds the sums of all, so that the order of the additions is the
//             same in every run.
// expected    a load of a row: 4 sectors for 32 blocks.

extern "C" __global__ void sparseAddOpen(const unsigned int* __restrict__ open_rows,
                                         const float* __restrict__ open_sums, float* __restrict__ y, unsigned int n,
                                         unsigned int blocks) {
    const unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    if (first >= blocks) return;
    const unsigned int row = open_rows[first];
    if (row >= n || (first > 0 && open_rows[first - 1] == row)) return;
    float sum = 0.0f;
    for (unsigned int b = first; b < blocks && open_rows[b] == row; ++b) sum += open_sums[b];
    y[row] += sum;
}
