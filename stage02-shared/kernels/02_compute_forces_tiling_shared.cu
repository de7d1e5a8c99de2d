// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      inputs x, y, z, m and outputs fx, fy, fz: (n), n >= 1
// launch      a one-dimensional grid of any number of blocks, block = BLOCK, which is in the name of the entry point. n
//             is arbitrary: a thread handles targets i, i + grid * BLOCK, ... below n, and sources past n have zero
//             mass. Indices are 32-bit: grid * BLOCK + n < 2^31.
// bottleneck  stage01's 02: every warp loads every source from global memory, once for each of a thread's targets.
//             Counter: global_load_requests.
// idea        the tile of 01 in a grid-stride loop over targets. The loop is controlled by the first target of the
//             block, not by the thread's own target: all threads of a block then execute the same number of iterations
//             and reach the same barriers. A block loads all sources again in each iteration. The published kernel also
//             unrolls the loop over the tile completely; that step is stage03's 03.
// expected    per iteration over targets: tile load: 4 sectors per array, once per warp per tile. Tile store: 1
//             wavefront. Tile read: all lanes at one address, 1 wavefront, no bank conflict. Barriers: 2 per warp per
//             tile.

template <int BLOCK>
__device__ __forceinline__ void compute_forces_tiling_shared(const float* x, const float* y, const float* z,
                                                             const float* m, float* fx, float* fy, float* fz, int n) {
    constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
    constexpr float SOFTENING = 1e-9f;    // m^2
    __shared__ float tile_x[BLOCK], tile_y[BLOCK], tile_z[BLOCK], tile_m[BLOCK];
    const int t = threadIdx.x;  // [0, BLOCK)
    const int stride = gridDim.x * BLOCK;
    for (int first_target = blockIdx.x * BLOCK; first_target < n; first_target += stride) {
        const int i = first_target + t;
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

#pragma unroll 4
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
}

#define ENTRY_POINT(BLOCK)                                                                                            \
    extern "C" __global__ void __launch_bounds__(BLOCK) computeForces_Tiling_Shared_##BLOCK(                          \
        const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,                        \
        const float* __restrict__ m, float* __restrict__ fx, float* __restrict__ fy, float* __restrict__ fz, int n) { \
        compute_forces_tiling_shared<BLOCK>(x, y, z, m, fx, fy, fz, n);                                               \
    }

ENTRY_POINT(32)
ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
