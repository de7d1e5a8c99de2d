// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of bf16 in row-major order, with sums in f32.
//
// shapes      a, b: (n, n), the bits of bf16, not modified; c: (n, n), f32; all 16-byte aligned; n a multiple of
//             TILE = 128, to which the host pads with zeros
// launch      requires compute capability 8.0; n / TILE x n / TILE blocks, block = 256, 384 * block bytes of dynamic shared
//             memory: STAGES tiles of both factors. A block handles a square tile of c, a warp DOWN x ACROSS = 4 x 4
//             products of 16 x 8 elements. Indices are 32-bit: n * n < 2^31.
// bottleneck  13: all warps of a block load tiles, wait, and only then compute. No unit is busy for most of the time.
// idea        a pipeline: STAGES tiles of each factor in shared memory. While the warps compute with one, asynchronous
//             copies (cp.async) of the next ones are on their way. A group of copies is committed per stage, and the
//             wait is for all groups but the newest. More than 48 KB of shared memory must be dynamic.
// expected    copies in place of loads and stores; half of the barriers.

// sums (16 x 8) += a (16 x 16) b (16 x 8).
__device__ __forceinline__ void multiply_add(float (&sums)[4], const unsigned int (&a)[4], const unsigned int* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Loads four 8 x 8 matrices, whose rows are at the addresses of lanes 0 to 7, 8 to 15, 16 to 23 and 24 to 31.
__device__ __forceinline__ void load_four(unsigned int (&to)[4], const uint4* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned int)__cvta_generic_to_shared(row))
                 : "memory");
}

// Loads four 8 x 8 matrices and transposes each of them.
__device__ __forceinline__ void load_four_transposed(unsigned int (&to)[4], const uint4* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned int)__cvta_generic_to_shared(row))
                 : "memory");
}

// Starts an asynchronous copy of 16 bytes from global to shared memory.
__device__ __forceinline__ void copy_chunk(uint4* to, const unsigned short* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
}

// Puts the thread's copies since the last call into a group, which may be empty.
__device__ __forceinline__ void commit_copies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most this many groups of the thread's copies are on their way.
template <int GROUPS>
__device__ __forceinline__ void wait_for_all_copies_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
}

constexpr int TILE = 128;  // rows and columns of c per block
constexpr int DEPTH = 64;  // terms per tile
constexpr int CHUNK = 8;   // numbers in 16 bytes
constexpr int STAGES = 3;  // tiles of each factor

// A tile of each factor.
struct Tiles {
    uint4 a[TILE][DEPTH / CHUNK], b[DEPTH][TILE / CHUNK];
};

extern "C" __global__ void __launch_bounds__(256, 2)
    matmulTensorPipeline(const unsigned short* __restrict__ a, const unsigned short* __restrict__ b,
                         float* __restrict__ c, int n) {
    constexpr int DOWN = 4, ACROSS = 4;                // products per warp
    constexpr int ROWS = 16, COLUMNS = 8, TERMS = 16;  // of a product
    constexpr int WARPS_ACROSS = TILE / (ACROSS * COLUMNS);
    extern __shared__ Tiles stages[];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int g = lane / 4, q = lane % 4;
    // of the warp's first element, in the tile
    const int x = warp % WARPS_ACROSS * (ACROSS * COLUMNS), y = warp / WARPS_ACROSS * (DOWN * ROWS);
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
    // of the first chunk that the thread copies
    const int a_row = t / 8, a_chunk = t % 8;
    const int b_term = t / 16, b_chunk = t % 16;

    const unsigned short* const from_a = a + (first_row + a_row) * n + a_chunk * CHUNK;
    const unsigned short* const from_b = b + b_term * n + first_column + b_chunk * CHUNK;
    auto copy_tiles = [&](Tiles& to, int first) {
#pragma unroll
        for (int i = 0; i < TILE; i += 32) copy_chunk(&to.a[a_row + i][a_chunk ^ a_row % 8], from_a + i * n + first);
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16)
            copy_chunk(&to.b[b_term + k][b_chunk ^ b_term % 8], from_b + (first + k) * n);
    };

    float sums[DOWN][ACROSS][4] = {};
    // n is at least TILE
    static_assert((STAGES - 1) * DEPTH <= TILE);
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        copy_tiles(stages[s], s * DEPTH);
        commit_copies();
    }
    for (int first = 0, stage = 0; first < n; first += DEPTH, stage = (stage + 1) % STAGES) {
        wait_for_all_copies_but<STAGES - 2>();
        // the copies of all threads have arrived, and all warps have read the stage before, which is filled next
        __syncthreads();
        const int ahead = first + (STAGES - 1) * DEPTH;
        if (ahead < n) copy_tiles(stages[(stage + STAGES - 1) % STAGES], ahead);
        commit_copies();

        const Tiles& tiles = stages[stage];
#pragma unroll
        for (int k = 0; k < DEPTH; k += TERMS) {
            unsigned int left[DOWN][4], right[ACROSS / 2][4];
            // of the lane's row in the matrices that it loads
            const int line = lane % 16, side = lane / 16;
#pragma unroll
            for (int i = 0; i < DOWN; ++i)
                load_four(left[i], &tiles.a[y + i * ROWS + line][(k / CHUNK + side) ^ line % 8]);
#pragma unroll
            for (int j = 0; j < ACROSS; j += 2)
                load_four_transposed(right[j / 2], &tiles.b[k + line][(x / CHUNK + j + side) ^ line % 8]);
#pragma unroll
            for (int i = 0; i < DOWN; ++i)
#pragma unroll
                for (int j = 0; j < ACROSS; ++j) multiply_add(sums[i][j], left[i], right[j / 2] + j % 2 * 2);
        }
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
