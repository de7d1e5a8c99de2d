// output = input after one step of the heat equation: u + rate (above + below + left + right - 4 u) for each cell u
// inside of the border, whose cells keep their values.
//
// shapes      input: (n, pitch), 16-byte aligned, not modified; output: (n, pitch), 16-byte aligned; n >= 1 cells of
//             each row are in use, pitch >= n is a multiple of EACH = 4, and the other cells of a row's last group are
//             finite
// launch      ceil(n / STRIP) x ceil(n / (warps * ROWS)) blocks, block a multiple of 32, whose warps are below each
//             other. A warp has STRIP = 128 columns of ROWS rows, and a thread EACH of the columns. Indices are
//             32-bit: n * pitch < 2^31.
// bottleneck  32: a load, a store and five reads of shared memory for each cell, each an instruction for 32 words, and
//             a barrier. Counters: shared_load_requests, warp_instructions.
// idea        a thread has four neighboring columns, one load of 16 bytes, and keeps ROWS rows of them in registers,
//             where each is below one row and above another. What is to the left and to the right is in registers of
//             the lanes beside it; the first and the last lane load it.
// expected    per warp: ROWS + 2 load requests of 16 sectors, ROWS of one or two sectors for the cells beside the
//             strip, and ROWS store requests of 16 sectors. 2 shuffles per row. The L1 cache has the first and the
//             last row, which the warps above and below load, too.

constexpr int WARP = 32;
constexpr int EACH = 4;             // columns per thread
constexpr int ROWS = 2;             // rows per warp
constexpr int STRIP = WARP * EACH;  // columns per warp
constexpr unsigned int ALL_LANES = 0xffffffff;

__device__ __forceinline__ float step(float cell, float above, float below, float left, float right, float rate) {
    return fmaf(rate, fmaf(-4.0f, cell, (above + below) + (left + right)), cell);
}

// Returns the four cells after a step; `left` and `right` are beside them. With a rate of 0, a cell keeps its value.
__device__ __forceinline__ float4 step(float4 cells, float4 above, float4 below, float left, float right,
                                       float4 rates) {
    return make_float4(step(cells.x, above.x, below.x, left, cells.y, rates.x),
                       step(cells.y, above.y, below.y, cells.x, cells.z, rates.y),
                       step(cells.z, above.z, below.z, cells.y, cells.w, rates.z),
                       step(cells.w, above.w, below.w, cells.z, right, rates.w));
}

// Returns the rates of a group of columns: 0 on the border. Only the first of a group can be on the left one.
__device__ __forceinline__ float4 rates_of(int column, int n, float rate) {
    return make_float4(column != 0 && column < n - 1 ? rate : 0.0f, column + 1 < n - 1 ? rate : 0.0f,
                       column + 2 < n - 1 ? rate : 0.0f, column + 3 < n - 1 ? rate : 0.0f);
}

extern "C" __global__ void heatRows(const float* __restrict__ input, float* __restrict__ output, int n, int pitch,
                                    float rate) {
    const int lane = threadIdx.x % WARP;
    const int column = blockIdx.x * STRIP + lane * EACH;
    const int first = (blockIdx.y * blockDim.x + threadIdx.x) / WARP * ROWS;  // row
    const float4 rates = rates_of(column, n, rate);
    // beyond the grid: any cells, as no other depends on them
    const int own = min(column, (n - 1) / EACH * EACH);
    const int beside = min(max(lane == 0 ? column - 1 : column + EACH, 0), n - 1);
    const bool is_outer = (lane + 1) % WARP < 2;  // the first lane or the last

    // all loads, before the first is waited for; row k is row first - 1 + k of the grid
    float4 rows[ROWS + 2];
#pragma unroll
    for (int k = 0; k < ROWS + 2; ++k) {
        const int row = min(max(first - 1 + k, 0), n - 1);
        rows[k] = *reinterpret_cast<const float4*>(&input[row * pitch + own]);
    }
    float neighbors[ROWS] = {};  // of the first lane to the left, of the last to the right
#pragma unroll
    for (int k = 0; k < ROWS; ++k)
        if (is_outer) neighbors[k] = input[min(first + k, n - 1) * pitch + beside];

#pragma unroll
    for (int k = 0; k < ROWS; ++k) {
        const int row = first + k;
        const float4 cells = rows[k + 1];
        float left = __shfl_up_sync(ALL_LANES, cells.w, 1), right = __shfl_down_sync(ALL_LANES, cells.x, 1);
        if (lane == 0) left = neighbors[k];
        if (lane == WARP - 1) right = neighbors[k];
        const float4 next = step(cells, rows[k], rows[k + 2], left, right, rates);
        if (row < n && column < n)
            *reinterpret_cast<float4*>(&output[row * pitch + column]) = row == 0 || row == n - 1 ? cells : next;
    }
}
