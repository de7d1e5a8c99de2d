// output[r, c] = the sum of filter[j, i] input[r + j - RADIUS, c + i - RADIUS] over the SIDE * SIDE taps, where pixels
// outside of the input are 0.
//
// shapes      input: (n, pitch), not modified; output: (n, pitch); n >= 1 pixels of each row are in use, and pitch >=
//             n; filter: (SIDE, SIDE), SIDE = 2 RADIUS + 1, at the beginning of an argument with room for 7 * 7
// launch      a two-dimensional grid of at least ceil(width / block.x) x ceil(height / block.y) blocks, where both
//             sides are n; block a multiple of 32, with block.x = 32. A thread has one pixel. The radius is a constant
//             of the entry point. Indices are 32-bit: n * pitch < 2^31.
// bottleneck  baseline. Each tap costs a load, an index, and a test whether the pixel exists. Counters:
//             global_load_requests, warp_instructions.
// idea        a thread for each pixel, which needs no other thread. The filter is an argument: arguments are in
//             constant memory, and a multiply-add takes one operand from there, without a load.
// expected    per warp of inner pixels: SIDE * SIDE load requests of 4 or 5 sectors, of which the L1 cache has nearly
//             all. 1 store request of 4 sectors.

constexpr int MAX_TAPS = 49;

struct Filter {
    float taps[MAX_TAPS];
};

template <int RADIUS>
__device__ __forceinline__ void convolve(const float* __restrict__ input, float* __restrict__ output, int n, int pitch,
                                         const Filter& filter) {
    constexpr int SIDE = 2 * RADIUS + 1;
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;

    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < SIDE; ++j) {
        const int y = row + j - RADIUS;
        if (y < 0 || y >= n) continue;
#pragma unroll
        for (int i = 0; i < SIDE; ++i) {
            const int x = column + i - RADIUS;
            if (x >= 0 && x < n) sum = fmaf(filter.taps[j * SIDE + i], input[y * pitch + x], sum);
        }
    }
    output[row * pitch + column] = sum;
}

#define ENTRY_POINT(RADIUS)                                                                                            \
    extern "C" __global__ void convolutionDirect_##RADIUS(const float* __restrict__ input, float* __restrict__ output, \
                                                          int n, int pitch, Filter filter) {                           \
        convolve<RADIUS>(input, output, n, pitch, filter);                                                             \
    }

ENTRY_POINT(1)
ENTRY_POINT(3)
