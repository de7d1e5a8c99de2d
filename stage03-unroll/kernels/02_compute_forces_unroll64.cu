// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      inputs x, y, z, m and outputs fx, fy, fz: (n), n >= 1
// launch      a one-dimensional grid of at least ceil(n / BLOCK) blocks, block = BLOCK, which is in the name of the
//             entry point. n need not be a multiple of BLOCK: sources past n have zero mass. Indices are 32-bit:
//             grid * BLOCK + n < 2^31.
// bottleneck  01's full unrolling, as published: the code grows with the block, to 18,000 PTX instructions for 1024
//             sources, executed without a loop. Counter: warp_instructions.
// idea        64 sources per iteration, or the whole tile if it is smaller. This makes the tutorial's form practical
//             for all of its block sizes: it is unrolled completely for blocks of 32 and 64 threads, and by 64 for
//             larger ones.
// expected    memory traffic as in stage02's 01. Branches per warp per tile: BLOCK / 64 + 1, and 1 up to BLOCK = 64.

template <int BLOCK>
__device__ __forceinline__ void compute_forces_unroll64(const float* x, const float* y, const float* z, const float* m,
                                                        float* fx, float* fy, float* fz, int n) {
    constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
    constexpr float SOFTENING = 1e-9f;    // m^2
    constexpr int UNROLL = BLOCK < 64 ? BLOCK : 64;
    __shared__ float tile_x[BLOCK], tile_y[BLOCK], tile_z[BLOCK], tile_m[BLOCK];
    const int t = threadIdx.x;             // [0, BLOCK)
    const int i = blockIdx.x * BLOCK + t;  // target, [0, grid * BLOCK)
    // a thread past n still loads and must reach the barriers; it recomputes the last body and stores nothing
    const int own = min(i, n - 1);

    const float xi = x[own], yi = y[own], zi = z[own];
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    for (int first = 0; first < n; first += BLOCK) {
        const int j = min(first + t, n - 1);  // past n: the last body, with zero mass
        const float mass = m[j];
        tile_x[t] = x[j];
        tile_y[t] = y[j];
        tile_z[t] = z[j];
        tile_m[t] = first + t < n ? mass : 0.0f;
        // the tile must be complete before any thread reads it
        __syncthreads();

#pragma unroll UNROLL
        for (int k = 0; k < BLOCK; ++k) {
            const float dx = tile_x[k] - xi, dy = tile_y[k] - yi, dz = tile_z[k] - zi;
            // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            const float weight = tile_m[k] * inverse * inverse * inverse;
            sum_x += weight * dx;
            sum_y += weight * dy;
            sum_z += weight * dz;
        }
        // a fast warp must not overwrite the tile while slower warps still read it
        __syncthreads();
    }

    if (i < n) {
        const float scale = GRAVITY * m[i];
        fx[i] = scale * sum_x;
        fy[i] = scale * sum_y;
        fz[i] = scale * sum_z;
    }
}

#define ENTRY_POINT(BLOCK)                                                                                            \
    extern "C" __global__ void __launch_bounds__(BLOCK) computeForces_unroll64_##BLOCK(                               \
        const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,                        \
        const float* __restrict__ m, float* __restrict__ fx, float* __restrict__ fy, float* __restrict__ fz, int n) { \
        compute_forces_unroll64<BLOCK>(x, y, z, m, fx, fy, fz, n);                                                    \
    }

ENTRY_POINT(32)
ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
