// output[r, c] = input[c, r]: the transpose of an n x n matrix of f32, whose rows follow each other.
//
// shapes    input: (n, n), kept; output: (n, n); n >= 1
// launch    ceil(n / TILE) x ceil(n / TILE) blocks, block = 256; TILE = 32 need not divide n. A block takes a square of
//           TILE columns and rows of the input, a thread EACH of its words. Indices are 32-bit: n * n < 2^31.
// cost      it begins a ladder, and what it costs is its store: neighboring lanes have neighboring columns of the input,
//           which are rows of the output, n words apart. Counter: global_store_sectors.
// idea      each word is loaded and stored once, and nothing is between.
// expected  load: 1 request of 4 sectors, where 8 divides n. Store: 1 request of 32 sectors, of each of which 4 bytes
//           are written.

extern "C" __global__ void __launch_bounds__(256)
    transposeDirect(const float* __restrict__ input, float* __restrict__ output, int n) {
    constexpr int TILE = 32;  // columns and rows of a block
    constexpr int WARPS = 8;
    constexpr int EACH = TILE / WARPS;  // words that a thread takes
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;  // of the input

#pragma unroll
    for (int each = 0; each < EACH; ++each) {
        const int k = each * WARPS + warp;  // [0, TILE)
        const int row = first_row + k, column = first_column + lane;
        if (row < n && column < n) output[column * n + row] = input[row * n + column];
    }
}
