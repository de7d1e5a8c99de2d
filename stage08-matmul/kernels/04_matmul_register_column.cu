// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of f32 in row-major order.
//
// shapes      a, b: (n, n), not modified; c: (n, n); n >= 1
// launch      ceil(n / TILE) x ceil(n / TILE) blocks, block = 512. n need not be a multiple of TILE = 64. A block
//             handles a square tile of c, a thread EACH = 8 elements of a column. Indices are 32-bit: n * n < 2^31.
// bottleneck  03: each multiply-add takes a word of a and a word of b from shared memory. Counter:
//             shared_load_requests.
// idea        a register tile in one dimension: a thread sums 8 elements of a column, so that a word of b serves 8
//             multiply-adds.
// expected    per 8 multiply-adds of a warp 9 loads from shared memory in PTX, 1 of b and 8 of a; ptxas joins four of
//             a's.

extern "C" __global__ void __launch_bounds__(512)
    matmulRegisterColumn(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    constexpr int TILE = 64;            // rows and columns of c per block
    constexpr int DEPTH = 8;            // terms per tile
    constexpr int EACH = TILE / DEPTH;  // rows per thread: 512 threads also load an element of each tile
    __shared__ float tile_a[TILE][DEPTH], tile_b[DEPTH][TILE];
    const int t = threadIdx.x;
    const int x = t % TILE, y = t / TILE;             // [0, TILE), [0, DEPTH): a column, and EACH rows
    const int a_row = blockIdx.y * TILE + t / DEPTH;  // of the element that the thread loads
    const int column = blockIdx.x * TILE + x;

    float sums[EACH] = {};
    for (int first = 0; first < n; first += DEPTH) {
        const int a_term = first + t % DEPTH, b_term = first + y;
        // past n: 0, which adds nothing
        tile_a[t / DEPTH][t % DEPTH] = a_row < n && a_term < n ? a[a_row * n + a_term] : 0.0f;
        tile_b[y][x] = column < n && b_term < n ? b[b_term * n + column] : 0.0f;
        // the tiles must be complete before any thread reads them
        __syncthreads();

#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            const float right = tile_b[k][x];
#pragma unroll
            for (int i = 0; i < EACH; ++i) sums[i] += tile_a[y * EACH + i][k] * right;
        }
        // a fast warp must not overwrite the tiles while slower warps still read them
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int row = blockIdx.y * TILE + y * EACH + i;
        if (row < n && column < n) c[row * n + column] = sums[i];
    }
}
