// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of bf16 in row-major order, with sums in f32.
//
// shapes      a, b: (n, n), the bits of bf16, not modified; c: (n, n), f32; all 16-byte aligned; n a multiple of
//             TILE = 128, to which the host pads with zeros
// launch      requires compute capability 8.0; n / TILE x n / TILE blocks, block = 256. A block handles a square tile of
//             c, a warp DOWN x ACROSS = 4 x 4 products of 16 x 8 elements. Indices are 32-bit: n * n < 2^31.
// bottleneck  baseline in bf16. 11: a multiply-add of a warp occupies a scheduler and the fp32 units for a clock.
// idea        tensor cores: one instruction (mma) multiplies 16 x 16 by 16 x 8 numbers, 2048 multiply-adds. The numbers
//             are spread over the lanes: lane 4 g + q holds, in rows g and g + 8, columns 2 q and 2 q + 1 of the product
//             and, with those 8 further on, of the left factor, and the same rows of column g of the right factor.
// expected    matrix instructions: 1/64 of 11's multiply-adds. Bank conflicts: rows of a tile are a multiple of 128 bytes
//             apart. Two loads for each register of the right factor, whose neighbors in a column are in two rows.

// sums (16 x 8) += a (16 x 16) b (16 x 8).
__device__ __forceinline__ void multiply_add(float (&sums)[4], const unsigned int (&a)[4], const unsigned int* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(256, 2)
    matmulTensor(const unsigned short* __restrict__ a, const unsigned short* __restrict__ b, float* __restrict__ c,
                 int n) {
    constexpr int TILE = 128;                          // rows and columns of c per block
    constexpr int DEPTH = 64;                          // terms per tile
    constexpr int DOWN = 4, ACROSS = 4;                // products per warp
    constexpr int ROWS = 16, COLUMNS = 8, TERMS = 16;  // of a product
    constexpr int WARPS_ACROSS = TILE / (ACROSS * COLUMNS);
    constexpr int CHUNK = 8;  // numbers in 16 bytes
    __shared__ alignas(16) unsigned short tile_a[TILE][DEPTH], tile_b[DEPTH][TILE];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int g = lane / 4, q = lane % 4;
    // of the warp's first element, in the tile
    const int x = warp % WARPS_ACROSS * (ACROSS * COLUMNS), y = warp / WARPS_ACROSS * (DOWN * ROWS);
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
    // of the first chunk that the thread loads
    const int a_row = t / 8, a_term = t % 8 * CHUNK;
    const int b_term = t / 16, b_column = t % 16 * CHUNK;

    float sums[DOWN][ACROSS][4] = {};
    for (int first = 0; first < n; first += DEPTH) {
#pragma unroll
        for (int i = 0; i < TILE; i += 32)
            *reinterpret_cast<uint4*>(&tile_a[a_row + i][a_term]) =
                *reinterpret_cast<const uint4*>(a + (first_row + a_row + i) * n + first + a_term);
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16)
            *reinterpret_cast<uint4*>(&tile_b[b_term + k][b_column]) =
                *reinterpret_cast<const uint4*>(b + (first + b_term + k) * n + first_column + b_column);
        // the tiles must be complete before any thread reads them
        __syncthreads();

#pragma unroll
        for (int k = 0; k < DEPTH; k += TERMS) {
            unsigned int left[DOWN][4], right[ACROSS][2];
#pragma unroll
            for (int i = 0; i < DOWN; ++i)
#pragma unroll
                for (int r = 0; r < 4; ++r)
                    left[i][r] = *reinterpret_cast<const unsigned int*>(
                        &tile_a[y + i * ROWS + r % 2 * 8 + g][k + r / 2 * 8 + 2 * q]);
#pragma unroll
            for (int j = 0; j < ACROSS; ++j)
#pragma unroll
                for (int r = 0; r < 2; ++r) {
                    const int term = k + r * 8 + 2 * q, column = x + j * COLUMNS + g;
                    right[j][r] = tile_b[term][column] | tile_b[term + 1][column] << 16;
                }
#pragma unroll
            for (int i = 0; i < DOWN; ++i)
#pragma unroll
                for (int j = 0; j < ACROSS; ++j) multiply_add(sums[i][j], left[i], right[j]);
        }
        // a fast warp must not overwrite the tiles while slower warps still read them
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < DOWN; ++i)
#pragma unroll
        for (int j = 0; j < ACROSS; ++j)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int row = first_row + y + i * ROWS + half * 8 + g,
                          column = first_column + x + j * COLUMNS + 2 * q;
                *reinterpret_cast<float2*>(c + row * n + column) =
                    make_float2(sums[i][j][2 * half], sums[i][j][2 * half + 1]);
            }
}
