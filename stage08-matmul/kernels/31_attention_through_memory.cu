// outputs[h, i, c] = sum over j of p[j] v[h, j, c] / sum over j of p[j], p[j] = e^(s[j] - m), s[j] = q[h, i] . k[h, j] /
// sqrt(D), with the largest score m of query i: attention in f32. If `causal` is 1, j runs to i, else to the last key.
//
// shapes      q, k, v: (heads, n, D), 16-byte aligned, not modified; outputs: (heads, n, D); scores: (heads, n, n rounded up
//             to a multiple of TILE), scratch space; n >= 1; D is in the name of the entry point
// launch      ceil(n / TILE) x heads blocks, block = 256, 272 * block bytes of dynamic shared memory. A block handles TILE =
//             64 queries of a head. Places of a head are 32-bit: n * D < 2^31.
// bottleneck  baseline. The scores of a block's queries go to memory, come back for the softmax, and again for the sum of
//             the values. Counters: global_load_sectors, global_store_sectors.
// idea        three loops over the keys, with tiles in shared memory: scores, softmax, weighted values. A thread computes 4 x
//             4 scores of a tile, and then D / 16 elements of the outputs of 4 queries.
// expected    a score is written twice and read four times: for the largest, the sum, the weight, and the values.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
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

// Loads COLUMNS words of TILE rows, which are `wide` words apart, from row `first` on, into shared memory. Past n: the last
// row, whose weight is 0.
template <int COLUMNS, int APART>
__device__ __forceinline__ void load_rows(float (*tile)[APART], const float* from, int first, int n, int wide) {
#pragma unroll
    for (int i = threadIdx.x * EACH; i < TILE * COLUMNS; i += THREADS * EACH)
        *reinterpret_cast<float4*>(&tile[i / COLUMNS][i % COLUMNS]) =
            *reinterpret_cast<const float4*>(from + (size_t)min(first + i / COLUMNS, n - 1) * wide + i % COLUMNS);
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
__device__ __forceinline__ void attention(const float* q, const float* k, const float* v, float* outputs, float* scores,
                                          int n, int causal) {
    extern __shared__ float4 shared[];
    float(*const tile_q)[STRIDE] = reinterpret_cast<float(*)[STRIDE]>(shared);  // D rows; then TILE rows of weights
    float(*const tile_k)[STRIDE] = tile_q + D;
    float(*const tile_v)[D] = reinterpret_cast<float(*)[D]>(tile_k);  // in the place of the keys
    const int wide = (n + TILE - 1) / TILE * TILE;
    const size_t head = (size_t)blockIdx.y * n * D;
    const int first_query = blockIdx.x * TILE;
    const int keys = causal ? min(first_query + TILE, n) : n;  // of the block
    const int x = threadIdx.x % ACROSS * EACH, y = threadIdx.x / ACROSS * EACH;
    float* const own = scores + ((size_t)blockIdx.y * n + first_query) * wide;  // the scores of the block's queries
    const int queries = min(TILE, n - first_query);

    load_transposed<D>(tile_q, q + head, first_query, n);
    for (int first = 0; first < keys; first += TILE) {
        load_transposed<D>(tile_k, k + head, first, n);
        // the tiles of all threads are complete
        __syncthreads();
        float sums[EACH][EACH] = {};
        add_scores<D>(sums, tile_q, tile_k, y, x);
#pragma unroll
        for (int i = 0; i < EACH; ++i)
            if (y + i < queries)
                *reinterpret_cast<float4*>(own + (size_t)(y + i) * wide + first + x) =
                    *reinterpret_cast<const float4*>(sums[i]);
        // all threads have read the tile, and, in the end, have stored their scores
        __syncthreads();
    }

    const float scale = rsqrtf(D);
    for (int i = threadIdx.x / WARP; i < queries; i += THREADS / WARP) {
        float* const row = own + (size_t)i * wide;
        const int count = causal ? first_query + i + 1 : n;
        const int lane = threadIdx.x % WARP;
        float largest = LOWEST, sum = 0;
        for (int j = lane; j < count; j += WARP) largest = fmaxf(largest, row[j] * scale);
#pragma unroll
        for (int mask = WARP / 2; mask > 0; mask /= 2)
            largest = fmaxf(largest, __shfl_xor_sync(ALL_LANES, largest, mask));
        for (int j = lane; j < count; j += WARP) sum += expf(row[j] * scale - largest);
#pragma unroll
        for (int mask = WARP / 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, mask);
        // to the end of the last tile
        for (int j = lane; j < (keys + TILE - 1) / TILE * TILE; j += WARP)
            row[j] = j < count ? expf(row[j] * scale - largest) / sum : 0;
    }
    // the weights of all warps are complete
    __syncthreads();

    float results[EACH][D / ACROSS] = {};
    for (int first = 0; first < keys; first += TILE) {
        load_rows<D>(tile_v, v + head, first, n, D);
        load_rows<TILE>(tile_q, own + first, 0, queries, wide);
        // the tiles of all threads are complete
        __syncthreads();
        add_values<D>(results, tile_q, tile_v, y, x);
        // all threads have read the tiles
        __syncthreads();
    }
    float4* const to = reinterpret_cast<float4*>(outputs + head);
#pragma unroll
    for (int i = 0; i < EACH; ++i)
#pragma unroll
        for (int j = 0; j < D / ACROSS; j += 4)
            if (y + i < queries)
                to[((first_query + y + i) * D + x + j * ACROSS) / 4] = {results[i][j], results[i][j + 1],
                                                                        results[i][j + 2], results[i][j + 3]};
}

extern "C" __global__ void __launch_bounds__(256, 2)
    attentionThroughMemory_64(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                              float* __restrict__ outputs, float* scores, int n, int causal) {
    attention<64>(q, k, v, outputs, scores, n, causal);
}

extern "C" __global__ void __launch_bounds__(256, 2)
    attentionThroughMemory_128(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                               float* __restrict__ outputs, float* scores, int n, int causal) {
    attention<128>(q, k, v, outputs, scores, n, causal);
}
