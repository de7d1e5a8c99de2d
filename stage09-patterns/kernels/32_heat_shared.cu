// output = input after one step of the heat equation: u + rate (above + below + left + right - 4 u) for each cell u
// inside of the border, whose cells keep their values.
//
// shapes      input: (n, pitch), not modified; output: (n, pitch); n >= 1 cells of each row are in use, and pitch >= n
// launch      ceil(n / SIDE) x ceil(n / SIDE) blocks, block = 256. A block has a square of SIDE = 32 rows and columns,
//             and a thread EACH of its cells. Indices are 32-bit: n * pitch < 2^31.
// bottleneck  31: a cell is loaded five times. Counter: global_load_requests.
// idea        a tile in shared memory, with a halo of one cell on each side: a block loads each cell once from global
//             memory, and reads it five times from the tile. A row of the tile has two cells more than a warp has
//             lanes, which two lanes load.
// expected    per block: 2 load requests for each of TILE rows, and SIDE store requests. The tile is read in 5
//             requests per store, without bank conflicts. 1 barrier.

constexpr int WARP = 32;
constexpr int SIDE = WARP;      // rows and columns per block
constexpr int TILE = SIDE + 2;  // with the halo
constexpr int WARPS = 8;
constexpr int EACH = SIDE / WARPS;  // cells per thread

extern "C" __global__ void __launch_bounds__(256)
    heatShared(const float* __restrict__ input, float* __restrict__ output, int n, int pitch, float rate) {
    __shared__ float tile[TILE][TILE];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int first_row = blockIdx.y * SIDE - 1, first_column = blockIdx.x * SIDE - 1;  // of the tile
    for (int y = warp; y < TILE; y += WARPS) {
        // beyond the border: any cells, as no other depends on them
        const float* const row = &input[min(max(first_row + y, 0), n - 1) * pitch];
        tile[y][lane] = row[min(max(first_column + lane, 0), n - 1)];
        if (lane < TILE - WARP) tile[y][WARP + lane] = row[min(first_column + WARP + lane, n - 1)];
    }
    // the neighbors were stored by other warps
    __syncthreads();

#pragma unroll
    for (int each = 0; each < EACH; ++each) {
        const int x = 1 + lane, y = 1 + each * WARPS + warp;  // in the tile
        const int row = first_row + y, column = first_column + x;
        float cell = tile[y][x];
        if (row > 0 && row < n - 1 && column > 0 && column < n - 1) {
            const float above = tile[y - 1][x], below = tile[y + 1][x];
            const float left = tile[y][x - 1], right = tile[y][x + 1];
            cell = fmaf(rate, fmaf(-4.0f, cell, (above + below) + (left + right)), cell);
        }
        if (row < n && column < n) output[row * pitch + column] = cell;
    }
}
