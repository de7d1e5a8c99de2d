// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes    x, y, z, m in and fx, fy, fz out: (n), n >= 1
// launch    one row of ceil(n / BLOCK) blocks or more, block = BLOCK, which is in the name of the entry point;
//           BLOCK need not divide n: sources past n have no mass. Indices are 32-bit: grid * BLOCK + n < 2^31.
// cost      stage01's 01: every warp loads every source from global memory, 4 requests per source. Counter:
//           global_load_requests.
// idea      a block loads each source once: BLOCK sources at a time go into a tile in shared memory, and all warps of
//           the block read them there. The loop over the tile is unrolled four times, as the compiler unrolls
//           stage01's loop. The published kernel also unrolls it in full; that step is stage03's 01.
// expected  tile load: 4 sectors per array, once per warp per tile. Tile store: 1 wavefront. Tile read: all lanes at
//           one address, 1 wavefront, no conflict. Barriers: 2 per warp per tile.

template <int BLOCK>
__device__ __forceinline__ void compute_forces_shared(const float* x, const float* y, const float* z, const float* m,
                                                      float* fx, float* fy, float* fz, int n) {
    constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
    constexpr float SOFTENING = 1e-9f;    // m^2
    __shared__ float tile_x[BLOCK], tile_y[BLOCK], tile_z[BLOCK], tile_m[BLOCK];
    const int t = threadIdx.x;             // [0, BLOCK)
    const int i = blockIdx.x * BLOCK + t;  // target, [0, grid * BLOCK)
    // a thread past n loads and reaches the barriers like the others; it sums for the last body and stores nothing
    const int own = min(i, n - 1);

    const float xi = x[own], yi = y[own], zi = z[own];
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    for (int first = 0; first < n; first += BLOCK) {
        const int j = min(first + t, n - 1);  // past n: the last body again, without its mass
        const float mass = m[j];
        tile_x[t] = x[j];
        tile_y[t] = y[j];
        tile_z[t] = z[j];
        tile_m[t] = first + t < n ? mass : 0.0f;
        // all threads read what each has stored
        __syncthreads();

#pragma unroll 4
        for (int k = 0; k < BLOCK; ++k) {
            const float dx = tile_x[k] - xi, dy = tile_y[k] - yi, dz = tile_z[k] - zi;
            // at most 1 / sqrt(SOFTENING) = 31623, so that its cube is finite and j = i adds exactly zero
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            const float weight = tile_m[k] * inverse * inverse * inverse;
            sum_x += weight * dx;
            sum_y += weight * dy;
            sum_z += weight * dz;
        }
        // a warp ahead of others would store the next tile over sources that they still read
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
    extern "C" __global__ void __launch_bounds__(BLOCK) computeForces_Shared_##BLOCK(                                 \
        const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,                        \
        const float* __restrict__ m, float* __restrict__ fx, float* __restrict__ fy, float* __restrict__ fz, int n) { \
        compute_forces_shared<BLOCK>(x, y, z, m, fx, fy, fz, n);                                                      \
    }

ENTRY_POINT(32)
ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
