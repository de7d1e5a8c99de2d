// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes    bodies: (n) of float4, x, y, z and mass; forces: (3, n), one row per component, 0 before the launch; n a
//           multiple of 512, which the host reaches with bodies of no mass
// launch    two dimensions, ceil(n / (4 BLOCK)) blocks along x, any number of slices along y; block = BLOCK, which is
//           in the name of the entry point.
// cost      02: at n = 16384 a block of 128 threads has 512 targets, so that 32 blocks have all the work and most
//           multiprocessors none. No counter shows it; the grid does.
// idea      the sources are split into slices, one per row of blocks, so that the grid fills the chip. Each block adds
//           its share to the forces, atomically.
// expected  three atomic additions per target and slice, 4 sectors per request. The order of the additions is open, so
//           that the last bits of a force differ from run to run.

template <int BLOCK>
__device__ __forceinline__ void forces_split_sources(const float4* bodies, float* forces, int n) {
    constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
    constexpr float SOFTENING = 1e-9f;    // m^2
    constexpr int PARTS = 4;              // targets per thread
    __shared__ float4 tile[BLOCK];
    const int t = threadIdx.x;                                // [0, BLOCK)
    const int first_target = blockIdx.x * PARTS * BLOCK + t;  // the others follow BLOCK apart

    float4 own[PARTS];
    float sum_x[PARTS] = {}, sum_y[PARTS] = {}, sum_z[PARTS] = {};
#pragma unroll
    // a target past n is the last body again, whose sums are not stored
    for (int p = 0; p < PARTS; ++p) own[p] = bodies[min(first_target + p * BLOCK, n - 1)];
    const int tiles = n / BLOCK;
    const int each = (tiles + gridDim.y - 1) / gridDim.y;  // tiles per slice; the last slices may have fewer, or none
    const int first_tile = min(blockIdx.y * each, tiles), last_tile = min(first_tile + each, tiles);
    for (int first = first_tile * BLOCK; first < last_tile * BLOCK; first += BLOCK) {
        tile[t] = bodies[first + t];
        // all threads read what each has stored
        __syncthreads();

#pragma unroll 4
        for (int k = 0; k < BLOCK; ++k) {
            const float4 source = tile[k];
#pragma unroll
            for (int p = 0; p < PARTS; ++p) {
                const float dx = source.x - own[p].x, dy = source.y - own[p].y, dz = source.z - own[p].z;
                // at most 1 / sqrt(SOFTENING) = 31623, so that its cube is finite and j = i adds exactly zero
                const float inverse = rsqrtf(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
                const float weight = source.w * inverse * inverse * inverse;
                sum_x[p] += weight * dx;
                sum_y[p] += weight * dy;
                sum_z[p] += weight * dz;
            }
        }
        // a warp ahead of others would store the next tile over sources that they still read
        __syncthreads();
    }

#pragma unroll
    for (int p = 0; p < PARTS; ++p) {
        const int i = first_target + p * BLOCK;
        if (i < n) {
            const float scale = GRAVITY * own[p].w;
            atomicAdd(forces + i, scale * sum_x[p]);
            atomicAdd(forces + n + i, scale * sum_y[p]);
            atomicAdd(forces + 2 * n + i, scale * sum_z[p]);
        }
    }
}

#define ENTRY_POINT(BLOCK)                                                                                 \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                    \
        forcesSplitSources_##BLOCK(const float4* __restrict__ bodies, float* __restrict__ forces, int n) { \
        forces_split_sources<BLOCK>(bodies, forces, n);                                                    \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
