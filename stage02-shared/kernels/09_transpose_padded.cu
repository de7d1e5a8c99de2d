// output[r, c] = input[c, r]: the transpose of an n x n matrix of f32 in row-major order.
//
// shapes      input: (n, n), not modified; output: (n, n); n >= 1
// launch      ceil(n / TILE) x ceil(n / TILE) blocks, block = 256. n need not be a multiple of TILE = 32. A block
//             handles a square tile of TILE rows and columns of the input, a thread EACH of its elements. Indices are
//             32-bit: n * n < 2^31.
// bottleneck  08: a 32-way bank conflict. The elements of a column of the tile are 32 words apart, all on one bank,
//             which delivers one at a time. Counter: shared_load_conflicts.
// idea        pad each row of the tile by one word: the elements of a column are then 33 words apart, each on a
//             different bank.
// expected    load and store: 1 request of 4 sectors if n is a multiple of 8. Tile store and tile read: 1 wavefront.
//             Barriers: 1 per warp.

extern "C" __global__ void __launch_bounds__(256)
    transposePadded(const float* __restrict__ input, float* __restrict__ output, int n) {
    constexpr int TILE = 32;  // rows and columns per block
    constexpr int WARPS = 8;
    constexpr int EACH = TILE / WARPS;  // elements per thread
    __shared__ float tile[TILE][TILE + 1];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;  // in the input

#pragma unroll
    for (int each = 0; each < EACH; ++each) {
        const int k = each * WARPS + warp;  // [0, TILE)
        const int row = first_row + k, column = first_column + lane;
        // past n: the last row or column, which is not stored
        tile[k][lane] = input[min(row, n - 1) * n + min(column, n - 1)];
    }
    // a column of the tile contains elements stored by all warps
    __syncthreads();

#pragma unroll
    for (int each = 0; each < EACH; ++each) {
        const int k = each * WARPS + warp;
        const int row = first_column + k, column = first_row + lane;  // in the output
        if (row < n && column < n) output[row * n + column] = tile[lane][k];
    }
}
