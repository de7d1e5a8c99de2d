// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of f32 in row-major order.
//
// shapes      a, b: (n, n), not modified; c: (n, n); n >= 1
// launch      ceil(n / TILE) x ceil(n / TILE) blocks, block = 256. n need not be a multiple of TILE = 128. A block
//             handles a square tile of c, a thread EACH x EACH = 8 x 8 elements. Indices are 32-bit: n * n < 2^31.
// bottleneck  04: each word of a serves one multiply-add. Counter: shared_load_requests.
// idea        a register tile in two dimensions: 8 words of a and 8 of b serve 64 multiply-adds.
// expected    per 64 multiply-adds of a warp 16 loads from shared memory in PTX, with conflicts: the lanes' words of b
//             are 8 apart, on 4 banks, and those of a 64 apart, on 1. Counter: shared_load_conflicts. Stores to c: 32
//             sectors per request.

extern "C" __global__ void __launch_bounds__(256)
    matmulRegisterTile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    constexpr int TILE = 128;  // rows and columns of c per block
    constexpr int DEPTH = 8;   // terms per tile
    constexpr int EACH = 8;    // rows and columns per thread
    constexpr int THREADS = 256;
    constexpr int ACROSS = TILE / EACH;  // threads across the tile
    __shared__ float tile_a[TILE][DEPTH], tile_b[DEPTH][TILE];
    const int t = threadIdx.x;
    const int x = t % ACROSS * EACH, y = t / ACROSS * EACH;  // of the thread's first element, in the tile
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;

    float sums[EACH][EACH] = {};
    for (int first = 0; first < n; first += DEPTH) {
#pragma unroll
        for (int e = t; e < TILE * DEPTH; e += THREADS) {
            const int row = first_row + e / DEPTH, a_term = first + e % DEPTH;
            const int column = first_column + e % TILE, b_term = first + e / TILE;
            // past n: 0, which adds nothing
            tile_a[e / DEPTH][e % DEPTH] = row < n && a_term < n ? a[row * n + a_term] : 0.0f;
            tile_b[e / TILE][e % TILE] = column < n && b_term < n ? b[b_term * n + column] : 0.0f;
        }
        // the tiles must be complete before any thread reads them
        __syncthreads();

#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            float left[EACH], right[EACH];
#pragma unroll
            for (int i = 0; i < EACH; ++i) left[i] = tile_a[y + i][k];
#pragma unroll
            for (int j = 0; j < EACH; ++j) right[j] = tile_b[k][x + j];
#pragma unroll
            for (int i = 0; i < EACH; ++i)
#pragma unroll
                for (int j = 0; j < EACH; ++j) sums[i][j] += left[i] * right[j];
        }
        // a fast warp must not overwrite the tiles while slower warps still read them
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < EACH; ++i)
#pragma unroll
        for (int j = 0; j < EACH; ++j) {
            const int row = first_row + y + i, column = first_column + x + j;
            if (row < n && column < n) c[row * n + column] = sums[i][j];
        }
}
