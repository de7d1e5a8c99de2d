// output[r, c] = the sum of filter[j, i] input[r + j - RADIUS, c + i - RADIUS] over the SIDE * SIDE taps, where pixels
// outside of the input are 0.
//
// shapes      input: (n, pitch), not modified; output: (n, pitch); n >= 1 pixels of each row are in use, and pitch >=
//             n; filter: (SIDE, SIDE), SIDE = 2 RADIUS + 1, at the beginning of an argument with room for 7 * 7
// launch      ceil(n / TILE) x ceil(n / TILE) blocks, block = 256. A block has a square of TILE = 32 rows and columns,
//             and a thread EACH of its pixels. The radius is a constant of the entry point. Indices are 32-bit: n *
//             pitch < 2^31.
// bottleneck  51: a load, an index and a test for each tap. Counters: global_load_requests, warp_instructions.
// idea        a tile in shared memory, with a halo of RADIUS pixels on each side and zeros outside of the input. Each
//             pixel is loaded and tested once per block. The tile's addresses differ by constants, which are part of
//             the instruction.
// expected    per block: 2 load requests for each of WIDE rows, and TILE store requests. The tile is read in SIDE *
//             SIDE requests per store, without bank conflicts. 1 barrier.

constexpr int MAX_TAPS = 49;
constexpr int WARP = 32;
constexpr int TILE = WARP;  // rows and columns per block
constexpr int WARPS = 8;
constexpr int EACH = TILE / WARPS;  // pixels per thread

struct Filter {
    float taps[MAX_TAPS];
};

// Returns a pixel, or 0 outside of the input.
__device__ __forceinline__ float pixel(const float* __restrict__ input, int row, int column, int n, int pitch) {
    return row >= 0 && row < n && column >= 0 && column < n ? input[row * pitch + column] : 0.0f;
}

template <int RADIUS>
__device__ __forceinline__ void convolve(const float* __restrict__ input, float* __restrict__ output, int n, int pitch,
                                         const Filter& filter) {
    constexpr int SIDE = 2 * RADIUS + 1;
    constexpr int WIDE = TILE + 2 * RADIUS;  // with the halo
    __shared__ float tile[WIDE][WIDE];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
    for (int y = warp; y < WIDE; y += WARPS) {
        const int row = first_row + y - RADIUS, column = first_column + lane - RADIUS;
        tile[y][lane] = pixel(input, row, column, n, pitch);
        if (lane < WIDE - WARP) tile[y][WARP + lane] = pixel(input, row, WARP + column, n, pitch);
    }
    // the pixels around were stored by other warps
    __syncthreads();

    for (int each = 0; each < EACH; ++each) {
        const int y = each * WARPS + warp, row = first_row + y, column = first_column + lane;
        if (row >= n || column >= n) return;
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < SIDE; ++j) {
#pragma unroll
            for (int i = 0; i < SIDE; ++i) sum = fmaf(filter.taps[j * SIDE + i], tile[y + j][lane + i], sum);
        }
        output[row * pitch + column] = sum;
    }
}

#define ENTRY_POINT(RADIUS)                                                                             \
    extern "C" __global__ void __launch_bounds__(256) convolutionShared_##RADIUS(                       \
        const float* __restrict__ input, float* __restrict__ output, int n, int pitch, Filter filter) { \
        convolve<RADIUS>(input, output, n, pitch, filter);                                              \
    }

ENTRY_POINT(1)
ENTRY_POINT(3)
