// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of bf16 in row-major order, with sums in f32.
//
// shapes      a, b: (n, n), the bits of bf16, not modified; c: (n, n), f32; all 16-byte aligned; n a multiple of WIDE = 256,
//             to which the host pads with zeros
// launch      requires compute capability 8.0 and 144 KB of shared memory per block, which 8.6 and 8.9 do not have;
//             n / WIDE x n / TALL blocks, block = 256, 576 * block bytes of dynamic shared memory: STAGES tiles of both
//             factors. A block handles TALL x WIDE = 128 x 256 elements of c, a warp DOWN x ACROSS = 4 x 8 products of
//             16 x 8 elements. Indices are 32-bit: n * n < 2^31.
// bottleneck  15: a warp loads the factors of a step, waits for them, and only then multiplies, and two warps per scheduler
//             cannot fill each other's gaps. Nsight Compute: wait, long scoreboard, barrier.
// idea        all is ahead of time: the factors of the next step, also of the next tile, are loaded between the products of
//             this one, to a second set of registers; copies are spread over the steps; addresses are computed before the
//             loop, as 32-bit numbers to which the loop adds constants.
// expected    15's copies, and the loads of one step more; fewer instructions for addresses.

// sums (16 x 8) += a (16 x 16) b (16 x 8).
__device__ __forceinline__ void multiply_add(float (&sums)[4], const unsigned int (&a)[4], const unsigned int* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Returns an address in shared memory as its instructions take it.
__device__ __forceinline__ unsigned int shared_address(const void* place) {
    return (unsigned int)__cvta_generic_to_shared(place);
}

// Loads four 8 x 8 matrices, whose rows are at the addresses of lanes 0 to 7, 8 to 15, 16 to 23 and 24 to 31.
__device__ __forceinline__ void load_four(unsigned int (&to)[4], unsigned int row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
}

// Loads four 8 x 8 matrices and transposes each of them.
__device__ __forceinline__ void load_four_transposed(unsigned int (&to)[4], unsigned int row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
}

// Starts an asynchronous copy of 16 bytes from global to shared memory.
__device__ __forceinline__ void copy_chunk(unsigned int to, const unsigned short* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(from)) : "memory");
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

constexpr int TALL = 128;  // rows of c per block
constexpr int WIDE = 256;  // columns of c per block
constexpr int DEPTH = 64;  // terms per tile
constexpr int CHUNK = 8;   // numbers in 16 bytes
constexpr int STAGES = 3;  // tiles of each factor

// A tile of each factor.
struct Tiles {
    uint4 a[TALL][DEPTH / CHUNK], b[DEPTH][WIDE / CHUNK];
};

extern "C" __global__ void __launch_bounds__(256, 1)
    matmulTensorPrefetch(const unsigned short* __restrict__ a, const unsigned short* __restrict__ b,
                         float* __restrict__ c, int n) {
    constexpr int DOWN = 4, ACROSS = 8;                // products per warp
    constexpr int ROWS = 16, COLUMNS = 8, TERMS = 16;  // of a product
    constexpr int STEPS = DEPTH / TERMS;               // of a tile
    static_assert(STEPS % 2 == 0);
    constexpr int WARPS_ACROSS = WIDE / (ACROSS * COLUMNS);
    extern __shared__ Tiles stages[];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int g = lane / 4, q = lane % 4;
    // of the warp's first element, in the tile
    const int x = warp % WARPS_ACROSS * (ACROSS * COLUMNS), y = warp / WARPS_ACROSS * (DOWN * ROWS);
    const int first_row = blockIdx.y * TALL, first_column = blockIdx.x * WIDE;
    // of the first chunk that the thread copies
    const int a_row = t / 8, a_chunk = t % 8;
    const int b_term = t / 32, b_chunk = t % 32;

    // addresses in the first stage, from which others are a constant apart
    const unsigned int a_to = shared_address(&stages[0].a[a_row][a_chunk ^ a_row % 8]);
    const unsigned int b_to = shared_address(&stages[0].b[b_term][b_chunk ^ b_term % 8]);
    unsigned int left_at[STEPS], right_at[ACROSS / 2];
    // of the lane's row in the matrices that it loads
    const int line = lane % 16, side = lane / 16;
#pragma unroll
    for (int step = 0; step < STEPS; ++step)
        left_at[step] = shared_address(&stages[0].a[y + line][(step * TERMS / CHUNK + side) ^ line % 8]);
#pragma unroll
    for (int i = 0; i < ACROSS / 2; ++i)
        right_at[i] = shared_address(&stages[0].b[line][(x / CHUNK + 2 * i + side) ^ line % 8]);
    constexpr unsigned int A_ROW = sizeof(stages[0].a[0]), B_ROW = sizeof(stages[0].b[0]);

    const unsigned short* from_a = a + (size_t)(first_row + a_row) * n + a_chunk * CHUNK;
    const unsigned short* from_b = b + (size_t)b_term * n + first_column + b_chunk * CHUNK;
    // the part of the next tiles that the block copies in a step
    auto copy_part = [&](unsigned int stage, int step) {
        static_assert(TALL == 32 * STEPS && DEPTH == 16 * STEPS);
        const int i = step * 32, k = step * 16;
        copy_chunk(a_to + stage + i * A_ROW, from_a + (size_t)i * n);
        copy_chunk(b_to + stage + k * B_ROW, from_b + (size_t)k * n);
        copy_chunk(b_to + stage + (k + 8) * B_ROW, from_b + (size_t)(k + 8) * n);
    };
    auto go_on_to_next_tiles = [&] {
        from_a += DEPTH;
        from_b += (size_t)DEPTH * n;
        commit_copies();
    };

    unsigned int left[2][DOWN][4], right[2][ACROSS / 2][4];
    // the part of a step's factors that a warp loads before row i of the products
    auto load_part = [&](unsigned int stage, int step, int i) {
        static_assert(DOWN == ACROSS / 2);
        load_four(left[step % 2][i], left_at[step] + stage + i * ROWS * A_ROW);
        load_four_transposed(right[step % 2][i], right_at[i] + stage + step * TERMS * B_ROW);
    };

    float sums[DOWN][ACROSS][4] = {};
    // n is at least WIDE
    static_assert((STAGES - 1) * DEPTH <= WIDE);
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) copy_part(s * sizeof(Tiles), step);
        go_on_to_next_tiles();
    }
    wait_for_all_copies_but<STAGES - 2>();
    // the copies of all threads have arrived
    __syncthreads();
#pragma unroll
    for (int i = 0; i < DOWN; ++i) load_part(0, 0, i);
    // the distances from the first stage: of the one that is multiplied, the next, and the one that is filled
    constexpr unsigned int LAST = (STAGES - 1) * sizeof(Tiles);
    unsigned int now = 0, filled = LAST;
    for (int first = 0; first < n; first += DEPTH) {
        const unsigned int next = now < LAST ? now + sizeof(Tiles) : 0;
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            if (first + (STAGES - 1) * DEPTH < n) copy_part(filled, step);
            const bool is_last = step + 1 == STEPS;
            if (is_last) {
                go_on_to_next_tiles();
                wait_for_all_copies_but<STAGES - 2>();
                // the copies of all threads have arrived, and all warps have read this stage, which is filled next
                __syncthreads();
            }
#pragma unroll
            for (int i = 0; i < DOWN; ++i) {
                // behind the last tile: numbers of an earlier one, which are not used
                load_part(is_last ? next : now, (step + 1) % STEPS, i);
#pragma unroll
                for (int j = 0; j < ACROSS; ++j)
                    multiply_add(sums[i][j], left[step % 2][i], right[step % 2][j / 2] + j % 2 * 2);
            }
        }
        filled = now;
        now = next;
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
