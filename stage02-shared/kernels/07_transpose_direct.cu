// output[r, c] = input[c, r]: the transpose of an n x n matrix of f32 in row-major order.
//
// shapes      input: (n, n), not modified; output: (n, n); n >= 1
// launch      ceil(n / TILE) x ceil(n / TILE) blocks, block = 256. n need not be a multiple of TILE = 32. A block
//             handles a square tile of TILE rows and columns of the input, a thread EACH of its elements. Indices are
//             32-bit: n * n < 2^31.
// bottleneck  baseline. The stores are uncoalesced: neighboring lanes hold neighboring columns of the input, which are
//             rows of the output, n words apart. Counter: global_store_sectors.
// idea        each element is loaded and stored once, directly.
// expected    load: 1 request of 4 sectors if n is a multiple of 8. Store: 1 request of 32 sectors, in each of which 4
//             bytes are written.

extern "C" __global__ void __launch_bounds__(256)
    transposeDirect(const float* __restrict__ input, float* __restrict__ output, int n) {
    constexpr int TILE = 32;  // rows and columns per block
    constexpr int WARPS = 8;
    constexpr int EACH = TILE / WARPS;  // elements per thread
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;  // in the input

#pragma unroll
    for (int each = 0; each < EACH; ++each) {
        const int k = each * WARPS + warp;  // [0, TILE)
        const int row = first_row + k, column = first_column + lane;
        if (row < n && column < n) output[column * n + row] = input[row * n + column];
    }
}
