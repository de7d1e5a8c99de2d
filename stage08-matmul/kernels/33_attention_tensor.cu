// outputs[h, i, c] = sum over j of p[j] v[h, j, c] / sum over j of p[j], p[j] = e^(s[j] - m), s[j] = q[h, i] . k[h, j] /
// sqrt(D), with the largest score m of query i: attention of bf16 with sums in f32. If `causal` is 1, j runs to i, else to
// the last key.
//
// shapes      q, k, v: (heads, n, D) of bf16, 16-byte aligned, not modified; outputs: (heads, n, D) of f32; n >= 1; D is in the
//             name of the entry point
// launch      requires compute capability 8.0; ceil(n / TILE) x heads blocks, block = 128, 272 * block bytes of dynamic
//             shared memory. A block handles TILE = 64 queries of a head, a warp 16. Places of a head are 32-bit: n * D < 2^31.
// bottleneck  32: two multiply-adds per lane for each element of the head. Counter: warp_instructions.
// idea        tensor cores multiply tiles of bf16: mma.sync, 16 x 8 x 16. A warp's scores are in the registers in which the
//             next product wants its left factor, so that weights need no shared memory. Asynchronous copies bring the keys
//             during the product with the values, and the values during the scores.
// expected    1/32 of 32's multiply-adds as instructions; no bank conflicts.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int TILE = 64;      // queries per block, and keys per tile
constexpr int THREADS = 128;  // per block
constexpr int ROWS = 16;      // queries per warp
constexpr int PADDING = 8;    // numbers of a row in shared memory, so that eight rows are on all banks
constexpr int GROUP = 8;      // numbers of 16 bytes
constexpr float LOWEST = -3.402823466e38f;
constexpr float LOG2_E = 1.44269504f;

typedef unsigned short bf16;

__device__ __forceinline__ unsigned int shared_address(const void* pointer) {
    return (unsigned int)__cvta_generic_to_shared(pointer);
}

// Starts asynchronous copies of a tile of rows from `first` on. Past n: the last row, which is not used, or has weight 0.
template <int D>
__device__ __forceinline__ void copy_tile(bf16 (*tile)[D + PADDING], const bf16* from, int first, int n) {
#pragma unroll
    for (int i = threadIdx.x * GROUP; i < TILE * D; i += THREADS * GROUP)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tile[i / D][i % D])),
                     "l"(__cvta_generic_to_global(from + min(first + i / D, n - 1) * D + i % D))
                     : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until all but the thread's last group of copies have arrived.
__device__ __forceinline__ void wait_for_all_but_one() {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
}

// Loads four matrices of 8 x 8 numbers; each lane has the address of a row.
__device__ __forceinline__ void load_matrices(unsigned int (&to)[4], const bf16* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// Loads four matrices of 8 x 8 numbers, each transposed.
__device__ __forceinline__ void load_transposed(unsigned int (&to)[4], const bf16* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// Adds the product of a 16 x 16 and a 16 x 8 matrix.
__device__ __forceinline__ void multiply(float (&sums)[4], const unsigned int (&a)[4], unsigned int b0,
                                         unsigned int b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
        "%2, "
        "%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Returns a pair of bf16, rounded.
__device__ __forceinline__ unsigned int pair(float low, float high) {
    unsigned int both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

// Returns 2^x.
__device__ __forceinline__ float power(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

template <int D>
__device__ __forceinline__ void attention(const bf16* q, const bf16* k, const bf16* v, float* outputs, int n,
                                          int causal) {
    extern __shared__ float4 shared[];
    bf16(*const tile_k)[D + PADDING] = reinterpret_cast<bf16(*)[D + PADDING]>(shared);
    bf16(*const tile_v)[D + PADDING] = tile_k + TILE;
    const size_t head = (size_t)blockIdx.y * n * D;
    const int first_query = blockIdx.x * TILE;
    const int keys = causal ? min(first_query + TILE, n) : n;  // of the block
    const int lane = threadIdx.x % 32, first_row = threadIdx.x / 32 * ROWS;
    const int query = first_query + first_row + lane / 4;  // and query + 8
    const float scale = rsqrtf(D) * LOG2_E;

    // queries, in the place of the values
    copy_tile<D>(tile_v, q + head, first_query, n);
    copy_tile<D>(tile_k, k + head, 0, n);
    wait_for_all_but_one();
    // the queries of all threads have arrived
    __syncthreads();
    unsigned int of_q[D / 16][4];
#pragma unroll
    for (int d = 0; d < D / 16; ++d) load_matrices(of_q[d], &tile_v[first_row + lane % 16][d * 16 + lane / 16 * 8]);
    // all warps have read their queries
    __syncthreads();

    float largest[2] = {LOWEST, LOWEST}, sum[2] = {}, results[D / 8][4] = {};
    for (int first = 0; first < keys; first += TILE) {
        copy_tile<D>(tile_v, v + head, first, n);
        wait_for_all_but_one();
        // the keys of all threads have arrived
        __syncthreads();
        float p[TILE / 8][4] = {};
#pragma unroll
        for (int d = 0; d < D; d += 16)
#pragma unroll
            for (int j = 0; j < TILE; j += 16) {
                unsigned int of_k[4];
                load_matrices(of_k, &tile_k[j + lane / 16 * 8 + lane % 8][d + lane / 8 % 2 * 8]);
                multiply(p[j / 8], of_q[d / 16], of_k[0], of_k[1]);
                multiply(p[j / 8 + 1], of_q[d / 16], of_k[2], of_k[3]);
            }
        // all warps have read the keys
        __syncthreads();
        copy_tile<D>(tile_k, k + head, first + TILE, n);

        if (first + TILE > (causal ? first_query : n)) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int count = causal ? min(query + i * 8 + 1, n) : n;
#pragma unroll
                for (int j = 0; j < TILE / 8; ++j)
#pragma unroll
                    for (int e = 0; e < 2; ++e)
                        if (first + j * 8 + lane % 4 * 2 + e >= count) p[j][i * 2 + e] = LOWEST;
            }
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            float next = largest[i];
#pragma unroll
            for (int j = 0; j < TILE / 8; ++j) next = fmaxf(next, fmaxf(p[j][i * 2], p[j][i * 2 + 1]));
            next = fmaxf(next, __shfl_xor_sync(ALL_LANES, next, 1));
            next = fmaxf(next, __shfl_xor_sync(ALL_LANES, next, 2));
            const float factor = power((largest[i] - next) * scale);
            const float base = next * scale;
            largest[i] = next;
            sum[i] *= factor;
#pragma unroll
            for (int j = 0; j < TILE / 8; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e) sum[i] += p[j][i * 2 + e] = power(p[j][i * 2 + e] * scale - base);
#pragma unroll
            for (int c = 0; c < D / 8; ++c) results[c][i * 2] *= factor, results[c][i * 2 + 1] *= factor;
        }

        wait_for_all_but_one();
        // the values of all threads have arrived
        __syncthreads();
#pragma unroll
        for (int j = 0; j < TILE; j += 16) {
            const float(*const left)[4] = p + j / 8;
            const unsigned int of_p[4] = {pair(left[0][0], left[0][1]), pair(left[0][2], left[0][3]),
                                          pair(left[1][0], left[1][1]), pair(left[1][2], left[1][3])};
#pragma unroll
            for (int c = 0; c < D; c += 16) {
                unsigned int of_v[4];
                load_transposed(of_v, &tile_v[j + lane % 16][c + lane / 16 * 8]);
                multiply(results[c / 8], of_p, of_v[0], of_v[1]);
                multiply(results[c / 8 + 1], of_p, of_v[2], of_v[3]);
            }
        }
        // all warps have read the values
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 2; ++i) {
        sum[i] += __shfl_xor_sync(ALL_LANES, sum[i], 1);
        sum[i] += __shfl_xor_sync(ALL_LANES, sum[i], 2);
        const float factor = 1 / sum[i];
        const int row = query + i * 8;
        if (row >= n) continue;
#pragma unroll
        for (int c = 0; c < D / 8; ++c)
            *reinterpret_cast<float2*>(outputs + head + row * D + c * 8 + lane % 4 * 2) = {
                results[c][i * 2] * factor, results[c][i * 2 + 1] * factor};
    }
}

extern "C" __global__ void __launch_bounds__(128, 4)
    attentionTensor_64(const bf16* __restrict__ q, const bf16* __restrict__ k, const bf16* __restrict__ v,
                       float* __restrict__ outputs, int n, int causal) {
    attention<64>(q, k, v, outputs, n, causal);
}

extern "C" __global__ void __launch_bounds__(128, 3)
    attentionTensor_128(const bf16* __restrict__ q, const bf16* __restrict__ k, const bf16* __restrict__ v,
                        float* __restrict__ outputs, int n, int causal) {
    attention<128>(q, k, v, outputs, n, causal);
}
