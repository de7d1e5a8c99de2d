// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of f32 in row-major order.
//
// shapes      a, b: (n, n), not modified; c: (n, n); all 16-byte aligned; n a multiple of TILE = 128, to which the host
//             pads with zeros
// launch      n / TILE x n / TILE blocks, block = 256. A block handles a square tile of c, a warp 64 x 32 of its
//             elements, a thread EACH x EACH = 8 x 8. Indices are 32-bit: n * n < 2^31.
// bottleneck  06: 2-way bank conflicts in the loads of b and the stores of a. Counters: shared_load_conflicts,
//             shared_store_conflicts.
// idea        a tile per warp: its lanes form 8 rows of 4, and a thread's 8 rows and columns are two groups of four,
//             apart by a group of each lane, so that neighboring lanes load neighboring words. A's tile has rows of 4
//             words more.
// expected    no bank conflicts.

extern "C" __global__ void __launch_bounds__(256)
    matmulWarpTile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    constexpr int TILE = 128;  // rows and columns of c per block
    constexpr int DEPTH = 8;   // terms per tile
    constexpr int EACH = 8;    // rows and columns per thread
    constexpr int LANES_DOWN = 8, LANES_ACROSS = 4;
    constexpr int DOWN = LANES_DOWN * 4, ACROSS = LANES_ACROSS * 4;  // from one group of four to the next
    constexpr int WARPS_ACROSS = TILE / (ACROSS * EACH / 4);
    constexpr int PADDING = 4;
    __shared__ alignas(16) float tile_a[DEPTH][TILE + PADDING], tile_b[DEPTH][TILE];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    // of the thread's first element, in the tile
    const int x = warp % WARPS_ACROSS * (ACROSS * EACH / 4) + lane % LANES_ACROSS * 4;
    const int y = warp / WARPS_ACROSS * (DOWN * EACH / 4) + lane / LANES_ACROSS * 4;
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
    // of the four neighbors that the thread loads
    const int a_row = t / 2, a_term = t % 2 * 4;
    const int b_column = t % 32 * 4, b_term = t / 32;

    float sums[EACH][EACH] = {};
    for (int first = 0; first < n; first += DEPTH) {
        const float4 four = *reinterpret_cast<const float4*>(a + (first_row + a_row) * n + first + a_term);
        tile_a[a_term][a_row] = four.x;
        tile_a[a_term + 1][a_row] = four.y;
        tile_a[a_term + 2][a_row] = four.z;
        tile_a[a_term + 3][a_row] = four.w;
        *reinterpret_cast<float4*>(&tile_b[b_term][b_column]) =
            *reinterpret_cast<const float4*>(b + (first + b_term) * n + first_column + b_column);
        // the tiles must be complete before any thread reads them
        __syncthreads();

#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            float left[EACH], right[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i += 4) {
                *reinterpret_cast<float4*>(left + i) = *reinterpret_cast<const float4*>(&tile_a[k][y + i / 4 * DOWN]);
                *reinterpret_cast<float4*>(right + i) =
                    *reinterpret_cast<const float4*>(&tile_b[k][x + i / 4 * ACROSS]);
            }
#pragma unroll
            for (int i = 0; i < EACH; ++i)
#pragma unroll
                for (int j = 0; j < EACH; ++j) sums[i][j] += left[i] * right[j];
        }
        // a fast warp must not overwrite the tiles while slower warps still read them
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int row = first_row + y + i / 4 * DOWN + i % 4;
#pragma unroll
        for (int j = 0; j < EACH; j += 4)
            *reinterpret_cast<float4*>(c + row * n + first_column + x + j / 4 * ACROSS) =
                *reinterpret_cast<const float4*>(sums[i] + j);
    }
}
