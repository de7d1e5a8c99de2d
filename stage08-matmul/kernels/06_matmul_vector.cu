// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of f32 in row-major order.
//
// shapes      a, b: (n, n), not modified; c: (n, n); all 16-byte aligned; n a multiple of TILE = 128, to which the host
//             pads with zeros
// launch      n / TILE x n / TILE blocks, block = 256. A block handles a square tile of c, a thread EACH x EACH = 8 x 8
//             elements. Indices are 32-bit: n * n < 2^31.
// bottleneck  05: each thread loads and stores single words, and its words of a term are in 8 rows of a's tile. Counters:
//             global_load_requests, shared_load_conflicts.
// idea        16 bytes per load and store. A's tile is stored transposed, so that a thread's 8 words of a term are
//             neighbors too.
// expected    global memory: a quarter of 05's requests. Shared memory: 4 loads per 64 multiply-adds. The lanes' loads
//             of b are 32 bytes apart: 2-way conflicts; so are the stores of a.

extern "C" __global__ void __launch_bounds__(256)
    matmulVector(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    constexpr int TILE = 128;            // rows and columns of c per block
    constexpr int DEPTH = 8;             // terms per tile
    constexpr int EACH = 8;              // rows and columns per thread
    constexpr int ACROSS = TILE / EACH;  // threads across the tile
    __shared__ alignas(16) float tile_a[DEPTH][TILE], tile_b[DEPTH][TILE];
    const int t = threadIdx.x;
    const int x = t % ACROSS * EACH, y = t / ACROSS * EACH;  // of the thread's first element, in the tile
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
                *reinterpret_cast<float4*>(left + i) = *reinterpret_cast<const float4*>(&tile_a[k][y + i]);
                *reinterpret_cast<float4*>(right + i) = *reinterpret_cast<const float4*>(&tile_b[k][x + i]);
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
    for (int i = 0; i < EACH; ++i)
#pragma unroll
        for (int j = 0; j < EACH; j += 4)
            *reinterpret_cast<float4*>(c + (first_row + y + i) * n + first_column + x + j) =
                *reinterpret_cast<const float4*>(sums[i] + j);
}
