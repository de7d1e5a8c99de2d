// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes    x, y, z, m in and fx, fy, fz out: (n), n >= 1
// launch    one row of any number of blocks, block = BLOCK, which is in the name of the entry point; nothing must
//           divide n: a thread takes targets i, i + grid * BLOCK, ... below n, and sources past n have no mass.
//           Indices are 32-bit: grid * BLOCK + n < 2^31.
// cost      stage02's 02: each round of four sources also steps four addresses and a counter, compares and branches.
//           Counters: branches, warp_instructions.
// idea      64 sources per round, or the whole tile where it is smaller, as in 02. The published kernel unrolls the
//           loop over the tile in full.
// expected  memory as in stage02's 02. Branches per warp per tile per round of targets: BLOCK / 64 + 1, and 1 up to
//           BLOCK = 64.

template <int BLOCK>
__device__ __forceinline__ void compute_forces_tiling_unroll64(const float* x, const float* y, const float* z,
                                                               const float* m, float* fx, float* fy, float* fz, int n) {
    constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
    constexpr float SOFTENING = 1e-9f;    // m^2
    constexpr int UNROLL = BLOCK < 64 ? BLOCK : 64;
    __shared__ float tile_x[BLOCK], tile_y[BLOCK], tile_z[BLOCK], tile_m[BLOCK];
    const int t = threadIdx.x;  // [0, BLOCK)
    const int stride = gridDim.x * BLOCK;
    for (int first_target = blockIdx.x * BLOCK; first_target < n; first_target += stride) {
        const int i = first_target + t;
        // a thread past n loads and reaches the barriers like the others; it sums for the last body, stores nothing
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

#pragma unroll UNROLL
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
}

#define ENTRY_POINT(BLOCK)                                                                                            \
    extern "C" __global__ void __launch_bounds__(BLOCK) computeForces_Tiling_unroll64_##BLOCK(                        \
        const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,                        \
        const float* __restrict__ m, float* __restrict__ fx, float* __restrict__ fy, float* __restrict__ fz, int n) { \
        compute_forces_tiling_unroll64<BLOCK>(x, y, z, m, fx, fy, fz, n);                                             \
    }

ENTRY_POINT(32)
ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
