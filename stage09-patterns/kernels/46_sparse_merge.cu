// y[r] = the sum of values[i] * x[columns[i]] over the elements i of row r, in f32, without the elements that the blocks
// before that of the row's end have.
//
// shapes      offsets: (n + 1), n >= 1, ascending from 0: the elements of row r are offsets[r] <= i < offsets[r + 1];
//             columns, values: (elements), columns below n; x, y: (n); open_rows, open_sums: (grid), of each block the row
//             that goes on behind it, or n, and the sum of the row's elements in the block
// launch      a one-dimensional grid of ceil((n + elements) / (EACH BLOCK)) blocks, block = BLOCK, which is in the name of
//             the entry point. Then 47 adds the open sums.
// bottleneck  45: how long a block takes depends on the lengths of its rows. Counters: thread_instructions, barriers.
// idea        merge-based: Merrill and Garland, 2016. One thread that walked through the matrix would take a step for each
//             element, and one for each end of a row, n + elements in all. Every thread has an equal part of these steps: it
//             searches the row where its part begins. Elements are loaded by neighboring threads, and their products go
//             through shared memory.
// expected    each element is loaded once, coalesced, and as many barriers and instructions for any rows.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr unsigned int EACH = 11;  // steps per thread; odd, so that threads with as many elements meet in no bank
constexpr int THREADS = 1536;      // at least so many are on a multiprocessor, with 42 registers each
constexpr unsigned int WARP = 32;

// Returns how many rows end before a step, given where each ends: row r ends in step ends[r] + r, after as many elements and r
// other ends.
__device__ __forceinline__ unsigned int rows_before(const unsigned int* ends, unsigned int rows, unsigned int step) {
    unsigned int low = 0, high = rows;
    while (low < high) {
        const unsigned int middle = (low + high) / 2;
        if (ends[middle] + middle < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Returns the same by a warp, whose lanes look at 32 rows at a time. All 32 lanes must call it.
__device__ __forceinline__ unsigned int rows_before_by_warp(const unsigned int* ends, unsigned int rows,
                                                            unsigned int step) {
    const unsigned int lane = threadIdx.x % WARP;
    unsigned int low = 0, high = rows;
    while (low < high) {
        // a lane looks at the last row of its part
        const unsigned int part = (high - low + WARP - 1) / WARP;
        const unsigned int row = low + lane * part + part - 1;
        const bool is_before = row < high && ends[row] + row < step;
        low += __popc(__ballot_sync(ALL_LANES, is_before)) * part;
        high = min(low + part - 1, high);
    }
    return low;
}

template <unsigned int BLOCK>
__device__ __forceinline__ void sparse_merge(const unsigned int* offsets, const unsigned int* columns,
                                             const float* values, const float* x, float* y, unsigned int* open_rows,
                                             float* open_sums, unsigned int n, unsigned int elements) {
    constexpr unsigned int STEPS = EACH * BLOCK, WARPS = BLOCK / WARP;
    __shared__ unsigned int words[STEPS + 1];  // the products of the block, and behind them the ends of its rows
    __shared__ unsigned int edges[2];          // the rows that end before the first step, and before the last one's end
    __shared__ unsigned int warp_ends[WARPS];  // the lanes of each warp in which a row ends
    __shared__ float warp_sums[WARPS];         // the sum of its elements behind the last end
    const unsigned int t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    const unsigned int first = blockIdx.x * STEPS, steps = min(STEPS, n + elements - first);

    if (warp < 2) {
        const unsigned int edge = rows_before_by_warp(offsets + 1, n, warp == 0 ? first : first + steps);
        if (lane == 0) edges[warp] = edge;
    }
    // all threads know the rows and the elements of the block
    __syncthreads();
    const unsigned int first_row = edges[0], rows = edges[1] - first_row;
    const unsigned int first_element = first - first_row, count = steps - rows;

    const unsigned int* const own_columns = columns + first_element + t;
    const float* const own_values = values + first_element + t;
    unsigned int column[EACH];
    float value[EACH];
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const unsigned int i = k * BLOCK + t;
        column[k] = i < count ? __ldcs(own_columns + k * BLOCK) : 0;
        value[k] = i < count ? __ldcs(own_values + k * BLOCK) : 0.0f;
    }
    // also the end of the row that goes on behind the block
    unsigned int* const ends = words + count;
    for (unsigned int i = t; i <= rows && first_row + i < n; i += BLOCK)
        ends[i] = offsets[first_row + i + 1] - first_element;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const unsigned int i = k * BLOCK + t;
        if (i < count) words[i] = __float_as_uint(value[k] * x[column[k]]);
    }
    // threads walk through products and ends that others wrote
    __syncthreads();

    unsigned int row = rows_before(ends, rows, EACH * t), element = EACH * t - row;
    const unsigned int begun = row;
    float sum = 0.0f, sum_of_begun = 0.0f;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        if (EACH * t + k >= steps) break;
        if (element < ends[row]) {
            sum += __uint_as_float(words[element++]);
        } else {
            if (row == begun) {
                sum_of_begun = sum;
            } else {
                y[first_row + row] = sum;
            }
            sum = 0.0f;
            ++row;
        }
    }

    // the sum behind the last end, over the lanes up to this one
    const unsigned int ended = __ballot_sync(ALL_LANES, row != begun);
    const unsigned int up_to_lane = ended & (ALL_LANES >> (WARP - 1 - lane));
    const unsigned int last = up_to_lane == 0 ? 0 : WARP - 1 - __clz(up_to_lane);
#pragma unroll
    for (unsigned int apart = 1; apart < WARP; apart *= 2) {
        const float before = __shfl_up_sync(ALL_LANES, sum, apart);
        if (lane >= last + apart) sum += before;
    }
    if (lane == WARP - 1) {
        warp_ends[warp] = ended;
        warp_sums[warp] = sum;
    }
    const float sum_of_lanes = __shfl_up_sync(ALL_LANES, sum, 1);
    // all threads add up the sums of the warps
    __syncthreads();
    float sum_of_warps = 0.0f, open_sum = 0.0f;
#pragma unroll
    for (unsigned int w = 0; w < WARPS; ++w) {
        if (w == warp) sum_of_warps = open_sum;
        open_sum = warp_ends[w] == 0 ? open_sum + warp_sums[w] : warp_sums[w];
    }
    if (row != begun) {
        // what the lanes before have of the row, and the warps before if it begins there
        if (lane > 0) sum_of_begun += sum_of_lanes;
        if (up_to_lane == 1u << lane) sum_of_begun += sum_of_warps;
        y[first_row + begun] = sum_of_begun;
    }
    if (t == 0) {
        open_rows[blockIdx.x] = first_row + rows;
        open_sums[blockIdx.x] = open_sum;
    }
}

#define ENTRY_POINT(BLOCK)                                                                                            \
    extern "C" __global__ void __launch_bounds__(BLOCK, THREADS / BLOCK) sparseMerge_##BLOCK(                         \
        const unsigned int* __restrict__ offsets, const unsigned int* __restrict__ columns,                           \
        const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y,                         \
        unsigned int* __restrict__ open_rows, float* __restrict__ open_sums, unsigned int n, unsigned int elements) { \
        sparse_merge<BLOCK>(offsets, columns, values, x, y, open_rows, open_sums, n, elements);                       \
    }

ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
