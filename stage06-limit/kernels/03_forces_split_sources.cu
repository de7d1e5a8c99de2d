// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      bodies: (n) of float4, x, y, z and mass; forces: (3, n), one row per component, 0 before the launch; n a
//             multiple of 512, to which the host pads with bodies of zero mass
// launch      a two-dimensional grid of ceil(n / (4 BLOCK)) blocks along x and any number of slices along y;
//             block = BLOCK, which is in the name of the entry point.
// bottleneck  02: at n = 16384, a block of 128 threads has 512 targets, so that the grid has only 128 warps and
//             most schedulers have none. No counter shows it; the grid size does.
// idea        split the sources into slices, one per row of blocks, so that the grid has more warps. Each block adds
//             its partial sums to the forces atomically.
// expected    three atomic additions per target per slice, 4 sectors per request. The order of the additions is
//             unspecified, so that the last bits of a force vary from run to run.

template <int BLOCK>
__device__ __forceinline__ void forces_split_sources(const float4* bodies, float* forces, int n) {
    constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
    constexpr float SOFTENING = 1e-9f;    // m^2
    constexpr int PARTS = 4;              // targets per thread
    __shared__ float4 tile[BLOCK];
    const int t = threadIdx.x;                                // [0, BLOCK)
    const int first_target = blockIdx.x * PARTS * BLOCK + t;  // the others are BLOCK apart

    float4 own[PARTS];
    float sum_x[PARTS] = {}, sum_y[PARTS] = {}, sum_z[PARTS] = {};
#pragma unroll
    // a target past n is the last body; its sums are not stored
    for (int p = 0; p < PARTS; ++p) own[p] = bodies[min(first_target + p * BLOCK, n - 1)];
    const int tiles = n / BLOCK;
    const int each = (tiles + gridDim.y - 1) / gridDim.y;  // tiles per slice; the last slices may have fewer or none
    const int first_tile = min(blockIdx.y * each, tiles), last_tile = min(first_tile + each, tiles);
    for (int first = first_tile * BLOCK; first < last_tile * BLOCK; first += BLOCK) {
        tile[t] = bodies[first + t];
        // the tile must be complete before any thread reads it
        __syncthreads();

#pragma unroll 4
        for (int k = 0; k < BLOCK; ++k) {
            const float4 source = tile[k];
#pragma unroll
            for (int p = 0; p < PARTS; ++p) {
                const float dx = source.x - own[p].x, dy = source.y - own[p].y, dz = source.z - own[p].z;
                // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
                const float inverse = rsqrtf(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
                const float weight = source.w * inverse * inverse * inverse;
                sum_x[p] += weight * dx;
                sum_y[p] += weight * dy;
                sum_z[p] += weight * dz;
            }
        }
        // a fast warp must not overwrite the tile while slower warps still read it
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
