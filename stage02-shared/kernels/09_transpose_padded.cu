// output[r, c] = input[c, r]: the transpose of an n x n matrix of f32, whose rows follow each other.
//
// shapes    input: (n, n), kept; output: (n, n); n >= 1
// launch    ceil(n / TILE) x ceil(n / TILE) blocks, block = 256; TILE = 32 need not divide n. A block takes a square of
//           TILE columns and rows of the input, a thread EACH of its words. Indices are 32-bit: n * n < 2^31.
// cost      08: the words of a column of the tile are 32 apart, all on one bank, which delivers one at a time. Counter:
//           shared_load_conflicts.
// idea      a row of the tile is a word longer, so that the words of a column are 33 apart, each on a bank of its own.
// expected  load and store: 1 request of 4 sectors, where 8 divides n. Tile store and tile read: 1 wavefront. Barriers: 1
//           per warp.

extern "C" __global__ void __launch_bounds__(256)
    transposePadded(const float* __restrict__ input, float* __restrict__ output, int n) {
    constexpr int TILE = 32;  // columns and rows of a block
    constexpr int WARPS = 8;
    constexpr int EACH = TILE / WARPS;  // words that a thread takes
    __shared__ float tile[TILE][TILE + 1];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;  // of the input

#pragma unroll
    for (int each = 0; each < EACH; ++each) {
        const int k = each * WARPS + warp;  // [0, TILE)
        const int row = first_row + k, column = first_column + lane;
        // past n: the last row or column again, which nobody stores
        tile[k][lane] = input[min(row, n - 1) * n + min(column, n - 1)];
    }
    // a column of the tile has words of all warps
    __syncthreads();

#pragma unroll
    for (int each = 0; each < EACH; ++each) {
        const int k = each * WARPS + warp;
        const int row = first_column + k, column = first_row + lane;  // of the output
        if (row < n && column < n) output[row * n + column] = tile[lane][k];
    }
}
