// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of f32 in row-major order.
//
// shapes      a, b: (n, n), not modified; c: (n, n); all 16-byte aligned; n a multiple of TILE = 128, to which the host
//             pads with zeros
// launch      requires compute capability 8.0; n / TILE x n / TILE blocks, block = 128. A block handles a square tile of
//             c, a warp 64 x 64 of its elements, a thread ROWS x COLUMNS = 16 x 8. Indices are 32-bit: n * n < 2^31.
// bottleneck  10: per 64 multiply-adds 4 loads from shared memory, and per tile 8 copies of 4 bytes. Counters:
//             warp_instructions, shared_load_requests.
// idea        16 x 8 elements per thread: 6 loads serve 128 multiply-adds. a goes through registers in groups of four,
//             which are loaded before a tile and stored after it. There are half as many threads, with up to 255
//             registers.
// expected    3/4 of 10's loads from shared memory; a quarter of its requests for a. Stores of a: 2-way conflicts.

// Starts an asynchronous copy of 16 bytes from global to shared memory.
__device__ __forceinline__ void copy_four(float* to, const float* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
}

// Waits until the thread's copies have arrived.
__device__ __forceinline__ void wait_for_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(128, 2)
    matmulTallTile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    constexpr int TILE = 128;              // rows and columns of c per block
    constexpr int DEPTH = 16;              // terms per tile
    constexpr int ROWS = 16, COLUMNS = 8;  // per thread
    constexpr int LANES_DOWN = 4, LANES_ACROSS = 8;
    constexpr int DOWN = LANES_DOWN * 4, ACROSS = LANES_ACROSS * 4;  // from one group of four to the next
    constexpr int WARPS_ACROSS = TILE / (ACROSS * COLUMNS / 4);
    constexpr int PADDING = 4;
    constexpr int FOURS = TILE * DEPTH / 4 / 128;  // groups of four words of a tile per thread
    __shared__ alignas(16) float tiles_a[2][DEPTH][TILE + PADDING], tiles_b[2][DEPTH][TILE];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    // of the thread's first element, in the tile
    const int x = warp % WARPS_ACROSS * (ACROSS * COLUMNS / 4) + lane % LANES_ACROSS * 4;
    const int y = warp / WARPS_ACROSS * (DOWN * ROWS / 4) + lane / LANES_ACROSS * 4;
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
    // of the first four neighbors that the thread loads, and copies
    const int a_row = t / 4, a_term = t % 4 * 4;
    const int b_column = t % 32 * 4, b_term = t / 32;
    const float* const from_a = a + (first_row + a_row) * n + a_term;
    const float* const from_b = b + b_term * n + first_column + b_column;
    float4 held[FOURS];
    auto start_tiles = [&](int stage, int first) {
#pragma unroll
        for (int f = 0; f < FOURS; ++f) held[f] = *reinterpret_cast<const float4*>(from_a + f * 32 * n + first);
#pragma unroll
        for (int f = 0; f < FOURS; ++f)
            copy_four(&tiles_b[stage][b_term + f * 4][b_column], from_b + (first + f * 4) * n);
    };
    auto finish_tiles = [&](int stage) {
#pragma unroll
        for (int f = 0; f < FOURS; ++f) {
            tiles_a[stage][a_term][a_row + f * 32] = held[f].x;
            tiles_a[stage][a_term + 1][a_row + f * 32] = held[f].y;
            tiles_a[stage][a_term + 2][a_row + f * 32] = held[f].z;
            tiles_a[stage][a_term + 3][a_row + f * 32] = held[f].w;
        }
        wait_for_copies();
    };

    float left[2][ROWS], right[2][COLUMNS];
    auto load_words = [&](int stage, int k) {
#pragma unroll
        for (int i = 0; i < ROWS; i += 4)
            *reinterpret_cast<float4*>(left[k % 2] + i) =
                *reinterpret_cast<const float4*>(&tiles_a[stage][k][y + i / 4 * DOWN]);
#pragma unroll
        for (int j = 0; j < COLUMNS; j += 4)
            *reinterpret_cast<float4*>(right[k % 2] + j) =
                *reinterpret_cast<const float4*>(&tiles_b[stage][k][x + j / 4 * ACROSS]);
    };

    float sums[ROWS][COLUMNS] = {};
    start_tiles(0, 0);
    finish_tiles(0);
    // the words of all threads have arrived
    __syncthreads();
    load_words(0, 0);
    for (int first = 0, stage = 0; first < n; first += DEPTH, stage ^= 1) {
        if (first + DEPTH < n) start_tiles(stage ^ 1, first + DEPTH);

#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            if (k + 1 < DEPTH) {
                load_words(stage, k + 1);
            } else {
                if (first + DEPTH < n) finish_tiles(stage ^ 1);
                // the words of all threads have arrived, and all warps have read this stage, which is filled next
                __syncthreads();
                // behind the last tile: words of an earlier one, which are not used
                load_words(stage ^ 1, 0);
            }
#pragma unroll
            for (int i = 0; i < ROWS; ++i)
#pragma unroll
                for (int step = 0; step < COLUMNS; ++step) {
                    const int j = i % 2 ? COLUMNS - 1 - step : step;
                    sums[i][j] += left[k % 2][i] * right[k % 2][j];
                }
        }
    }

#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        const int row = first_row + y + i / 4 * DOWN + i % 4;
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j) c[row * n + first_column + x + j / 4 * ACROSS + j % 4] = sums[i][j];
    }
}
