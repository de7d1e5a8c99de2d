// output[r, c] = the sum of filter[j, i] input[r + j - RADIUS, c + i - RADIUS] over the SIDE * SIDE taps, where pixels
// outside of the input are 0.
//
// shapes      input: (n, pitch), 16-byte aligned, not modified, with zeros as padding; output: (n, pitch), 16-byte
//             aligned; n >= 1 pixels of each row are in use, and pitch >= n is a multiple of EACH = 4; filter: (SIDE,
//             SIDE), SIDE = 2 RADIUS + 1, at the beginning of an argument with room for 7 * 7
// launch      ceil(n / STRIP) x ceil(n / (warps * ROWS)) blocks, block = 256, whose warps are below each other. A warp
//             has STRIP = 120 columns of ROWS rows, and a thread EACH of the columns. The radius and the rows are
//             constants of the entry point. Indices are 32-bit: n * pitch < 2^31.
// bottleneck  52: shared memory gives a pixel for each multiply-add, and the adders wait for it. Counter:
//             shared_load_requests.
// idea        sums in registers: a thread has EACH columns of ROWS rows, all sums at once. It loads a row of pixels,
//             asks the lanes beside it for the RADIUS pixels on each side, adds the row to all sums that need it, and
//             forgets it. Each pixel in a register serves up to SIDE * SIDE sums. The warps overlap by a lane on each
//             side, which lacks neighbors, and stores nothing.
// expected    per warp: ROWS + 2 RADIUS load requests of up to 17 sectors, 2 RADIUS shuffles for each, and ROWS store
//             requests of 15 sectors. No shared memory.

constexpr int MAX_TAPS = 49;
constexpr int WARP = 32;
constexpr int EACH = 4;                   // columns per thread
constexpr int STRIP = (WARP - 2) * EACH;  // columns per warp that are stored
constexpr unsigned int ALL_LANES = 0xffffffff;

struct Filter {
    float taps[MAX_TAPS];
};

template <int RADIUS, int ROWS>
__device__ __forceinline__ void convolve(const float* __restrict__ input, float* __restrict__ output, int n, int pitch,
                                         const Filter& filter) {
    constexpr int SIDE = 2 * RADIUS + 1;
    const int lane = threadIdx.x % WARP;
    const int column = (int)blockIdx.x * STRIP + (lane - 1) * EACH;
    const int first = (blockIdx.y * blockDim.x + threadIdx.x) / WARP * ROWS;  // row
    const bool is_inside = column >= 0 && column < n;
    const bool is_stored = is_inside && lane > 0 && lane < WARP - 1;

    float sums[ROWS][EACH] = {};
#pragma unroll
    for (int y = 0; y < ROWS + 2 * RADIUS; ++y) {
        const int row = first + y - RADIUS;
        float4 own = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (is_inside && row >= 0 && row < n) own = *reinterpret_cast<const float4*>(&input[row * pitch + column]);
        const float pixels[EACH] = {own.x, own.y, own.z, own.w};
        float window[RADIUS + EACH + RADIUS];  // from column - RADIUS on
#pragma unroll
        for (int i = 0; i < EACH; ++i) window[RADIUS + i] = pixels[i];
#pragma unroll
        for (int i = 0; i < RADIUS; ++i) {
            window[i] = __shfl_up_sync(ALL_LANES, pixels[EACH - RADIUS + i], 1);
            window[RADIUS + EACH + i] = __shfl_down_sync(ALL_LANES, pixels[i], 1);
        }

        // this row of pixels is row j of the filter for the output's row y - j
#pragma unroll
        for (int j = 0; j < SIDE; ++j) {
            if (y - j < 0 || y - j >= ROWS) continue;
#pragma unroll
            for (int i = 0; i < SIDE; ++i) {
#pragma unroll
                for (int x = 0; x < EACH; ++x)
                    sums[y - j][x] = fmaf(filter.taps[j * SIDE + i], window[x + i], sums[y - j][x]);
            }
        }

        const int done = y - 2 * RADIUS;  // the row whose sums are complete
        if (done >= 0 && is_stored && first + done < n)
            *reinterpret_cast<float4*>(&output[(first + done) * pitch + column]) =
                make_float4(sums[done][0], sums[done][1], sums[done][2], sums[done][3]);
    }
}

#define ENTRY_POINT(RADIUS, ROWS)                                                                       \
    extern "C" __global__ void __launch_bounds__(256) convolutionRegisters_##RADIUS(                    \
        const float* __restrict__ input, float* __restrict__ output, int n, int pitch, Filter filter) { \
        convolve<RADIUS, ROWS>(input, output, n, pitch, filter);                                        \
    }

ENTRY_POINT(1, 4)
ENTRY_POINT(3, 8)
