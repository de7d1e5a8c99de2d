// outputs[h, i, c] = sum over j of p[j] v[h, j, c] / sum over j of p[j], p[j] = e^(s[j] - m), s[j] = q[h, i] . k[h, j] /
// sqrt(D), with the largest score m of query i: attention in f32. If `causal` is 1, j runs to i, else to the last key.
//
// shapes      q, k, v: (heads, n, D), 16-byte aligned, not modified; outputs: (heads, n, D); n >= 1; D is in the name of the
//             entry point
// launch      ceil(n / TILE) x heads blocks, block = 256, 340 * block bytes of dynamic shared memory. A block handles TILE =
//             64 queries of a head. Places of a head are 32-bit: n * D < 2^31.
// bottleneck  31: the scores, n times as many as queries, go through memory. Counters: global_load_sectors,
//             global_store_sectors.
// idea        one loop over the keys, with 22's online softmax: the weights of a tile are relative to the largest score so
//             far. When that grows, the sums so far, of weights and of values, are rescaled. Scores stay in registers, and
//             the weights of a tile go to the other threads through shared memory.
// expected    no scores in memory. Loads of keys and values as in 31, barriers: 4 per tile.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int TILE = 64;             // queries per block, and keys per tile
constexpr int THREADS = 256;         // per block, as 16 x 16
constexpr int ACROSS = 16;           // threads that share four queries
constexpr int EACH = 4;              // queries and keys per thread
constexpr int STRIDE = TILE + EACH;  // words from one element of the head to the next, in a transposed tile
constexpr float LOWEST = -3.402823466e38f;

// Loads a tile of rows from `first` on into shared memory, transposed. Past n: the last row, which is not used.
template <int D>
__device__ __forceinline__ void load_transposed(float (*tile)[STRIDE], const float* from, int first, int n) {
    const float* const row = from + min(first + (int)threadIdx.x % TILE, n - 1) * D;
#pragma unroll
    for (int d = threadIdx.x / TILE * EACH; d < D; d += THREADS / TILE * EACH) {
        const float4 four = *reinterpret_cast<const float4*>(row + d);
        tile[d][threadIdx.x % TILE] = four.x;
        tile[d + 1][threadIdx.x % TILE] = four.y;
        tile[d + 2][threadIdx.x % TILE] = four.z;
        tile[d + 3][threadIdx.x % TILE] = four.w;
    }
}

// Loads a tile of rows from `first` on into shared memory. Past n: the last row, whose weight is 0.
template <int D>
__device__ __forceinline__ void load_rows(float (*tile)[D], const float* from, int first, int n) {
#pragma unroll
    for (int i = threadIdx.x * EACH; i < TILE * D; i += THREADS * EACH)
        *reinterpret_cast<float4*>(&tile[i / D][i % D]) =
            *reinterpret_cast<const float4*>(from + min(first + i / D, n - 1) * D + i % D);
}

// Returns four neighbors in shared memory.
__device__ __forceinline__ float4 four_at(const float* from) {
    return *reinterpret_cast<const float4*>(from);
}

// Adds to the sums of EACH queries and EACH keys, from the given places on, the products of the tiles' columns.
template <int D>
__device__ __forceinline__ void add_scores(float (*sums)[EACH], const float (*tile_q)[STRIDE],
                                           const float (*tile_k)[STRIDE], int query, int key) {
#pragma unroll 8
    for (int d = 0; d < D; ++d) {
        const float4 left = four_at(&tile_q[d][query]), right = four_at(&tile_k[d][key]);
        const float of_q[EACH] = {left.x, left.y, left.z, left.w}, of_k[EACH] = {right.x, right.y, right.z, right.w};
#pragma unroll
        for (int i = 0; i < EACH; ++i)
#pragma unroll
            for (int j = 0; j < EACH; ++j) sums[i][j] += of_q[i] * of_k[j];
    }
}

// Adds to the results of EACH queries, in groups of four elements from the given one on, the tile's values by their weights.
template <int D>
__device__ __forceinline__ void add_values(float (*results)[D / ACROSS], const float (*tile_p)[STRIDE],
                                           const float (*tile_v)[D], int query, int element) {
#pragma unroll 2
    for (int key = 0; key < TILE; key += 4) {
        float p[EACH][4];
#pragma unroll
        for (int i = 0; i < EACH; ++i) *reinterpret_cast<float4*>(p[i]) = four_at(&tile_p[query + i][key]);
#pragma unroll
        for (int t = 0; t < 4; ++t)
#pragma unroll
            for (int j = 0; j < D / ACROSS; j += 4) {
                const float4 v = four_at(&tile_v[key + t][element + j * ACROSS]);
#pragma unroll
                for (int i = 0; i < EACH; ++i) {
                    results[i][j] += p[i][t] * v.x;
                    results[i][j + 1] += p[i][t] * v.y;
                    results[i][j + 2] += p[i][t] * v.z;
                    results[i][j + 3] += p[i][t] * v.w;
                }
            }
    }
}

template <int D>
__device__ __forceinline__ void attention(const float* q, const float* k, const float* v, float* outputs, int n,
                                          int causal) {
    extern __shared__ float4 shared[];
    float(*const tile_q)[STRIDE] = reinterpret_cast<float(*)[STRIDE]>(shared);  // D rows
    float(*const tile_p)[STRIDE] = tile_q + D;                                  // TILE rows
    float(*const tile_k)[STRIDE] = tile_p + TILE;                               // D rows
    float(*const tile_v)[D] = reinterpret_cast<float(*)[D]>(tile_k);            // in the place of the keys
    const size_t head = (size_t)blockIdx.y * n * D;
    const int first_query = blockIdx.x * TILE;
    const int keys = causal ? min(first_query + TILE, n) : n;  // of the block
    const int x = threadIdx.x % ACROSS * EACH, y = threadIdx.x / ACROSS * EACH;
    const float scale = rsqrtf(D);

    load_transposed<D>(tile_q, q + head, first_query, n);
    float largest[EACH], sum[EACH] = {}, results[EACH][D / ACROSS] = {};
#pragma unroll
    for (int i = 0; i < EACH; ++i) largest[i] = LOWEST;
    for (int first = 0; first < keys; first += TILE) {
        load_transposed<D>(tile_k, k + head, first, n);
        // the tiles of all threads are complete
        __syncthreads();
        float p[EACH][EACH] = {};
        add_scores<D>(p, tile_q, tile_k, y, x);

#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int count = causal ? min(first_query + y + i + 1, n) : n;
            float next = largest[i];
#pragma unroll
            for (int j = 0; j < EACH; ++j) {
                p[i][j] = first + x + j < count ? p[i][j] * scale : LOWEST;
                next = fmaxf(next, p[i][j]);
            }
#pragma unroll
            for (int mask = ACROSS / 2; mask > 0; mask /= 2) next = fmaxf(next, __shfl_xor_sync(ALL_LANES, next, mask));
            const float factor = expf(largest[i] - next);
            largest[i] = next;
            sum[i] *= factor;
#pragma unroll
            for (int j = 0; j < EACH; ++j) {
                p[i][j] = expf(p[i][j] - next);
                sum[i] += p[i][j];
            }
            *reinterpret_cast<float4*>(&tile_p[y + i][x]) = *reinterpret_cast<const float4*>(p[i]);
#pragma unroll
            for (int c = 0; c < D / ACROSS; ++c) results[i][c] *= factor;
        }
        // all threads have read the keys
        __syncthreads();
        load_rows<D>(tile_v, v + head, first, n);
        // the values and weights of all threads are complete
        __syncthreads();
        add_values<D>(results, tile_p, tile_v, y, x);
        // all threads have read the values and weights
        __syncthreads();
    }

    float4* const to = reinterpret_cast<float4*>(outputs + head);
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
#pragma unroll
        for (int mask = ACROSS / 2; mask > 0; mask /= 2) sum[i] += __shfl_xor_sync(ALL_LANES, sum[i], mask);
#pragma unroll
        for (int j = 0; j < D / ACROSS; j += 4) {
            const float factor = 1 / sum[i];
            if (first_query + y + i < n)
                to[((first_query + y + i) * D + x + j * ACROSS) / 4] = {
                    results[i][j] * factor, results[i][j + 1] * factor, results[i][j + 2] * factor,
                    results[i][j + 3] * factor};
        }
    }
}

extern "C" __global__ void __launch_bounds__(256, 2)
    attentionFused_64(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                      float* __restrict__ outputs, int n, int causal) {
    attention<64>(q, k, v, outputs, n, causal);
}

extern "C" __global__ void __launch_bounds__(256, 2)
    attentionFused_128(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                       float* __restrict__ outputs, int n, int causal) {
    attention<128>(q, k, v, outputs, n, causal);
}
