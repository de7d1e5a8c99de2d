// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of f32 in row-major order.
//
// shapes      a, b: (n, n), not modified; c: (n, n); all 16-byte aligned; n a multiple of TILE = 128, to which the host
//             pads with zeros
// launch      requires compute capability 8.0; n / TILE x n / TILE blocks, block = 256. A block handles a square tile of
//             c, a warp 64 x 32 of its elements, a thread EACH x EACH = 8 x 8. Indices are 32-bit: n * n < 2^31.
// bottleneck  09: a multiply-add reads three registers, two of which must come from the register file, in different
//             banks: even and odd numbers. Stores of 16 bytes tie four sums of a row to neighboring registers, as loads
//             of 16 bytes do the words that they are multiplied with. Nsight Compute: dispatch stall.
// idea        stores of 4 bytes leave the choice of registers to the compiler. Columns in turn, each in the opposite
//             direction of the one before, so that neighboring multiply-adds have a factor in common.
// expected    09's instructions in the loop; four times its store requests.

// Starts an asynchronous copy of 16 bytes from global to shared memory.
__device__ __forceinline__ void copy_four(float* to, const float* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
}

// Starts an asynchronous copy of 4 bytes from global to shared memory.
__device__ __forceinline__ void copy_one(float* to, const float* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
}

// Waits until the thread's copies have arrived.
__device__ __forceinline__ void wait_for_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(256, 2)
    matmulRegisterBanks(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    constexpr int TILE = 128;  // rows and columns of c per block
    constexpr int DEPTH = 16;  // terms per tile
    constexpr int EACH = 8;    // rows and columns per thread
    constexpr int LANES_DOWN = 8, LANES_ACROSS = 4;
    constexpr int DOWN = LANES_DOWN * 4, ACROSS = LANES_ACROSS * 4;  // from one group of four to the next
    constexpr int WARPS_ACROSS = TILE / (ACROSS * EACH / 4);
    constexpr int PADDING = 4;
    __shared__ alignas(16) float tiles_a[2][DEPTH][TILE + PADDING], tiles_b[2][DEPTH][TILE];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    // of the thread's first element, in the tile
    const int x = warp % WARPS_ACROSS * (ACROSS * EACH / 4) + lane % LANES_ACROSS * 4;
    const int y = warp / WARPS_ACROSS * (DOWN * EACH / 4) + lane / LANES_ACROSS * 4;
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
    // of the first word and the first four neighbors that the thread copies
    const int a_row = t / 8, a_term = t % 8;
    const int b_column = t % 32 * 4, b_term = t / 32;
    const float* const from_a = a + (first_row + a_row) * n + a_term;
    const float* const from_b = b + b_term * n + first_column + b_column;
    auto copy_tiles = [&](int stage, int first) {
#pragma unroll
        for (int k = 0; k < DEPTH; k += 8)
#pragma unroll
            for (int i = 0; i < TILE; i += 32)
                copy_one(&tiles_a[stage][a_term + k][a_row + i], from_a + i * n + first + k);
#pragma unroll
        for (int k = 0; k < DEPTH; k += 8) copy_four(&tiles_b[stage][b_term + k][b_column], from_b + (first + k) * n);
    };

    float left[2][EACH], right[2][EACH];
    auto load_words = [&](int stage, int k) {
#pragma unroll
        for (int i = 0; i < EACH; i += 4) {
            *reinterpret_cast<float4*>(left[k % 2] + i) =
                *reinterpret_cast<const float4*>(&tiles_a[stage][k][y + i / 4 * DOWN]);
            *reinterpret_cast<float4*>(right[k % 2] + i) =
                *reinterpret_cast<const float4*>(&tiles_b[stage][k][x + i / 4 * ACROSS]);
        }
    };

    float sums[EACH][EACH] = {};
    copy_tiles(0, 0);
    wait_for_copies();
    // the copies of all threads have arrived
    __syncthreads();
    load_words(0, 0);
    for (int first = 0, stage = 0; first < n; first += DEPTH, stage ^= 1) {
        if (first + DEPTH < n) copy_tiles(stage ^ 1, first + DEPTH);

#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            if (k + 1 < DEPTH) {
                load_words(stage, k + 1);
            } else {
                wait_for_copies();
                // the copies of all threads have arrived, and all warps have read this stage, which is filled next
                __syncthreads();
                // behind the last tile: words of an earlier one, which are not used
                load_words(stage ^ 1, 0);
            }
#pragma unroll
            for (int j = 0; j < EACH; ++j)
#pragma unroll
                for (int step = 0; step < EACH; ++step) {
                    const int i = j % 2 ? EACH - 1 - step : step;
                    sums[i][j] += left[k % 2][i] * right[k % 2][j];
                }
        }
    }

#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int row = first_row + y + i / 4 * DOWN + i % 4;
#pragma unroll
        for (int j = 0; j < EACH; ++j) c[row * n + first_column + x + j / 4 * ACROSS + j % 4] = sums[i][j];
    }
}
