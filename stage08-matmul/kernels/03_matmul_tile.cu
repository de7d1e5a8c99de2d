// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of f32 in row-major order.
//
// shapes      a, b: (n, n), not modified; c: (n, n); n >= 1
// launch      ceil(n / TILE) x ceil(n / TILE) blocks, block = 1024. n need not be a multiple of TILE = 32. A block
//             handles a square tile of c, a thread one element. Indices are 32-bit: n * n < 2^31.
// bottleneck  02: two loads from global memory per multiply-add; the warps of a block load the same words of b again
//             and again. Counter: global_load_requests.
// idea        tiles of a and b in shared memory: a block loads each word once, and 32 threads use it.
// expected    per multiply-add of a warp 1/16 request to global memory instead of 2, and 2 loads from shared memory in
//             PTX, of which ptxas joins four of a's. Barriers: 2 per tile.

extern "C" __global__ void __launch_bounds__(1024)
    matmulTile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    constexpr int TILE = 32;  // rows and columns of c per block, and terms per tile
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;  // in the tile
    const int row = blockIdx.y * TILE + y;
    const int column = blockIdx.x * TILE + x;

    float sum = 0;
    for (int first = 0; first < n; first += TILE) {
        // past n: 0, which adds nothing
        tile_a[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0.0f;
        tile_b[y][x] = column < n && first + y < n ? b[(first + y) * n + column] : 0.0f;
        // the tiles must be complete before any thread reads them
        __syncthreads();

#pragma unroll
        for (int k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
        // a fast warp must not overwrite the tiles while slower warps still read them
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
