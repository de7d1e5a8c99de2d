// y[r] = the sum of values[i] * x[columns[i]] over the elements i of row r, in f32.
//
// shapes      offsets: (n + 1), n >= 1, ascending from 0: the elements of row r are offsets[r] <= i < offsets[r + 1];
//             columns, values: (offsets[n]), columns below n; x, y: (n)
// launch      a one-dimensional grid of ceil(n / (LOOKS BLOCK)) + ceil(n / BLOCK) blocks, block = BLOCK, which is in the name
//             of the entry point.
// bottleneck  46: a block begins with loads of a search that wait for each other, its warps wait for all others three times,
//             and a second launch follows. Counters: barriers, shared_load_conflicts.
// idea        a segmented scan by each warp, without a barrier. Its lanes load neighboring elements of 32 rows, whatever
//             their lengths, and add up the products by shuffles, up to the begin of a row. Long rows would keep the warp for
//             too long: in the first blocks of the grid, all threads share each of them.
// expected    the elements are loaded as in 46, in one launch; barriers in the first blocks alone, and few conflicts.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr unsigned int WARP = 32;
constexpr unsigned int EACH = 4;    // elements per lane in flight
constexpr unsigned int LOOKS = 8;   // rows per thread of the first blocks
constexpr unsigned int LONG = 128;  // the most elements of a row that is not long
constexpr int THREADS = 2048;       // at least so many are on a multiprocessor, with 32 registers each

// Multiplies the elements first + k * apart of the matrix with those of x; the products of elements from `end` on are 0.
template <unsigned int apart>
__device__ __forceinline__ void load_products(float (&product)[EACH], const unsigned int* columns, const float* values,
                                              const float* x, unsigned int first, unsigned int end) {
    unsigned int column[EACH];
    float value[EACH];
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const bool is_in = first + k * apart < end;
        column[k] = is_in ? __ldcs(columns + first + k * apart) : 0;
        value[k] = is_in ? __ldcs(values + first + k * apart) : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < EACH; ++k) product[k] = first + k * apart < end ? value[k] * x[column[k]] : 0.0f;
}

__device__ __forceinline__ float sum_of_lanes(float sum) {
#pragma unroll
    for (unsigned int mask = WARP / 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, mask);
    return sum;
}

// The long ones among LOOKS * BLOCK rows, each by all threads of the block.
template <unsigned int BLOCK>
__device__ __forceinline__ void long_rows(const unsigned int* offsets, const unsigned int* columns, const float* values,
                                          const float* x, float* y, unsigned int n) {
    constexpr unsigned int WARPS = BLOCK / WARP;
    __shared__ unsigned int are_long[LOOKS * WARPS];  // a bit for each row
    __shared__ float sums[WARPS];
    const unsigned int t = threadIdx.x, first_row = blockIdx.x * LOOKS * BLOCK;
#pragma unroll
    for (unsigned int k = 0; k < LOOKS; ++k) {
        const unsigned int row = first_row + k * BLOCK + t;
        const unsigned int lanes = __ballot_sync(ALL_LANES, row < n && offsets[row + 1] - offsets[row] > LONG);
        if (t % WARP == 0) are_long[k * WARPS + t / WARP] = lanes;
    }
    // all threads know the long rows
    __syncthreads();
    for (unsigned int w = 0; w < LOOKS * WARPS; ++w) {
        for (unsigned int bits = are_long[w]; bits != 0; bits &= bits - 1) {
            const unsigned int row = first_row + w * WARP + __ffs(bits) - 1, end = offsets[row + 1];
            float sum = 0.0f;
#pragma unroll 1
            for (unsigned int first = offsets[row] + t; first < end; first += EACH * BLOCK) {
                float product[EACH];
                load_products<BLOCK>(product, columns, values, x, first, end);
#pragma unroll
                for (int k = 0; k < EACH; ++k) sum += product[k];
            }
            sum = sum_of_lanes(sum);
            if (t % WARP == 0) sums[t / WARP] = sum;
            // the first warp adds up the sums of all
            __syncthreads();
            if (t < WARP) {
                sum = sum_of_lanes(t < WARPS ? sums[t] : 0.0f);
                if (t == 0) y[row] = sum;
            }
            // the sums are read before those of the next row are written
            __syncthreads();
        }
    }
}

template <unsigned int BLOCK>
__device__ __forceinline__ void sparse_segments(const unsigned int* offsets, const unsigned int* columns,
                                                const float* values, const float* x, float* y, unsigned int n) {
    constexpr unsigned int ROUND = EACH * WARP;
    static_assert(LONG >= ROUND, "a long row that begins behind a round would end in it");
    const unsigned int long_blocks = (n + LOOKS * BLOCK - 1) / (LOOKS * BLOCK);
    if (blockIdx.x < long_blocks) {
        long_rows<BLOCK>(offsets, columns, values, x, y, n);
        return;
    }
    // of each element whether it is the last one of its row, and then the sum of the row's elements up to this one
    __shared__ unsigned int words[BLOCK / WARP][ROUND];
    const unsigned int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned int row = (blockIdx.x - long_blocks) * BLOCK + threadIdx.x;
    const unsigned int begin = offsets[min(row, n)], end = offsets[min(row + 1, n)];
    const bool is_long = end - begin > LONG;
    unsigned int skips = __ballot_sync(ALL_LANES, is_long);
    unsigned int first = __shfl_sync(ALL_LANES, begin, 0);
    const unsigned int last = __shfl_sync(ALL_LANES, end, WARP - 1);
    float own = 0.0f;
    while (true) {
        // up to the next long row, and then behind it
        const unsigned int skipped = __ffs(skips) - 1;
        const unsigned int stop = skips == 0 ? last : __shfl_sync(ALL_LANES, begin, skipped);
        float open = 0.0f;  // the sum of the row that goes on behind the elements so far
#pragma unroll 1
        for (; first < stop; first += ROUND) {
            float product[EACH];
            load_products<WARP>(product, columns, values, x, first + lane, stop);
            const unsigned int place = end - 1 - first;
            const bool is_in = begin < end && place < ROUND;  // never of a long row, which ends behind the round
#pragma unroll
            for (int k = 0; k < EACH; ++k) words[warp][k * WARP + lane] = 0;
            __syncwarp();
            if (is_in) words[warp][place] = 1;
            __syncwarp();
            unsigned int lasts[EACH];
#pragma unroll
            for (int k = 0; k < EACH; ++k) lasts[k] = __ballot_sync(ALL_LANES, words[warp][k * WARP + lane]);
#pragma unroll
            for (int k = 0; k < EACH; ++k) {
                const unsigned int before = lasts[k] & ((1u << lane) - 1);
                const unsigned int begun = WARP - __clz(before);  // the first lane of the row; 0 for no bit
                float sum = product[k];
#pragma unroll
                for (unsigned int apart = 1; apart < WARP; apart *= 2) {
                    const float other = __shfl_up_sync(ALL_LANES, sum, apart);
                    if (lane >= begun + apart) sum += other;
                }
                if (before == 0) sum += open;
                open = __shfl_sync(ALL_LANES, sum, WARP - 1);
                if (lasts[k] >> (WARP - 1)) open = 0.0f;
                words[warp][k * WARP + lane] = __float_as_uint(sum);
            }
            __syncwarp();
            if (is_in) own = __uint_as_float(words[warp][place]);
            // the sums are read before the next round
            __syncwarp();
        }
        if (skips == 0) break;
        first = __shfl_sync(ALL_LANES, end, skipped);
        skips &= skips - 1;
    }
    if (row < n && !is_long) y[row] = own;
}

#define ENTRY_POINT(BLOCK)                                                                                      \
    extern "C" __global__ void __launch_bounds__(BLOCK, THREADS / BLOCK) sparseSegments_##BLOCK(                \
        const unsigned int* __restrict__ offsets, const unsigned int* __restrict__ columns,                     \
        const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y, unsigned int n) { \
        sparse_segments<BLOCK>(offsets, columns, values, x, y, n);                                              \
    }

ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
