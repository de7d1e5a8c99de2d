// output = input after two steps of the heat equation: u + rate (above + below + left + right - 4 u) for each cell u
// inside of the border, whose cells keep their values.
//
// shapes      input: (n, pitch), 16-byte aligned, not modified; output: (n, pitch), 16-byte aligned; n >= 1 cells of
//             each row are in use, pitch >= n is a multiple of EACH = 4, and the other cells of a row's last group are
//             finite
// launch      ceil(n / STRIP) x ceil(n / (warps * ROWS)) blocks, block a multiple of 32, whose warps are below each
//             other. A warp has STRIP = 120 columns of ROWS rows, and a thread EACH of the columns. Indices are
//             32-bit: n * pitch < 2^31.
// bottleneck  33: the memory. A step cannot move less than the grid, once in and once out.
// idea        two steps for one trip through the memory. The cells between the steps stay in registers: a row of them
//             needs three of the input, and a row of the output needs three of them. At the edges of a warp's part
//             they are computed twice: the warps overlap by two rows above and below and by a lane on each side, which
//             lacks a neighbor, and stores nothing.
// expected    per warp: ROWS + 4 load requests of 16 sectors, and ROWS store requests of 15. 2 shuffles for each of
//             the ROWS + 2 rows between the steps, and of the ROWS rows of the output.

constexpr int WARP = 32;
constexpr int EACH = 4;                   // columns per thread
constexpr int ROWS = 4;                   // rows per warp
constexpr int STRIP = (WARP - 2) * EACH;  // columns per warp that are stored
constexpr unsigned int ALL_LANES = 0xffffffff;

__device__ __forceinline__ float step(float cell, float above, float below, float left, float right, float rate) {
    return fmaf(rate, fmaf(-4.0f, cell, (above + below) + (left + right)), cell);
}

// Returns the rates of a group of columns: 0 on the border. Only the first of a group can be on the left one.
__device__ __forceinline__ float4 rates_of(int column, int n, float rate) {
    return make_float4(column != 0 && column < n - 1 ? rate : 0.0f, column + 1 < n - 1 ? rate : 0.0f,
                       column + 2 < n - 1 ? rate : 0.0f, column + 3 < n - 1 ? rate : 0.0f);
}

// Returns a row's cells after a step, of which the first lane's first and the last lane's last are wrong. With a rate
// of 0, a cell keeps its value.
__device__ __forceinline__ float4 step(float4 cells, float4 above, float4 below, float4 rates, bool is_border) {
    const float left = __shfl_up_sync(ALL_LANES, cells.w, 1), right = __shfl_down_sync(ALL_LANES, cells.x, 1);
    const float4 next = make_float4(step(cells.x, above.x, below.x, left, cells.y, rates.x),
                                    step(cells.y, above.y, below.y, cells.x, cells.z, rates.y),
                                    step(cells.z, above.z, below.z, cells.y, cells.w, rates.z),
                                    step(cells.w, above.w, below.w, cells.z, right, rates.w));
    return is_border ? cells : next;
}

extern "C" __global__ void heatTwoSteps(const float* __restrict__ input, float* __restrict__ output, int n, int pitch,
                                        float rate) {
    const int lane = threadIdx.x % WARP;
    const int column = (int)blockIdx.x * STRIP + (lane - 1) * EACH;
    const int first = (blockIdx.y * blockDim.x + threadIdx.x) / WARP * ROWS;  // row
    const float4 rates = rates_of(column, n, rate);
    // beyond the grid: any cells, as no other depends on them
    const int own = min(max(column, 0), (n - 1) / EACH * EACH);
    const bool is_stored = lane > 0 && lane < WARP - 1 && column < n;

    // all loads, before the first is waited for; row k is row first - 2 + k of the grid
    float4 rows[ROWS + 4];
#pragma unroll
    for (int k = 0; k < ROWS + 4; ++k) {
        const int row = min(max(first - 2 + k, 0), n - 1);
        rows[k] = *reinterpret_cast<const float4*>(&input[row * pitch + own]);
    }

    float4 between[ROWS + 2];  // after one step; row k is row first - 1 + k
#pragma unroll
    for (int k = 0; k < ROWS + 2; ++k) {
        const int below = first - 1 + k, row = below - 1;
        between[k] = step(rows[k + 1], rows[k], rows[k + 2], rates, below == 0 || below == n - 1);
        if (k < 2) continue;
        const float4 next = step(between[k - 1], between[k - 2], between[k], rates, row == 0 || row == n - 1);
        if (is_stored && row < n) *reinterpret_cast<float4*>(&output[row * pitch + column]) = next;
    }
}
