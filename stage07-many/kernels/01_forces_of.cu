// sums_i += scale_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i, over the given sources.
//
// shapes      targets: (targets_count) of float4, x, y, z and mass; sources: (sources_count) of float4; sums: (3,
//             targets_count), one row per component, to which the kernel adds; both counts >= 1
// launch      a two-dimensional grid of ceil(targets_count / 512) blocks along x and any number of slices of the
//             sources along y; block = 128. Both counts are arbitrary: targets past the count are not stored, sources
//             past the count have zero mass. Indices are 32-bit: 3 * targets_count < 2^31.
// bottleneck  stage06's 04, whose targets are its sources: all bodies must have arrived before the first sum.
// idea        targets and sources are two arrays, and the kernel accumulates. A rank can therefore sum over whatever
//             bodies have already arrived, in any order, and over the rest later.
// expected    as stage06's 04, with targets_count * sources_count interactions.
//
// forces_of is for problem A: scale_i = G m_i. pulls_of is for problem D, whose G is 1: scale_i = 1.

constexpr int BLOCK = 128;
constexpr int PARTS = 4;  // targets per thread

// Returns 1 / sqrt(x) to within 2^-22.9, the accuracy of rsqrtf; a subnormal x counts as 0.
__device__ __forceinline__ float fast_rsqrt(float x) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

template <bool GALAXY>
__device__ __forceinline__ void sums_of(const float4* targets, int targets_count, const float4* sources,
                                        int sources_count, float* sums) {
    constexpr float GRAVITY = 6.67e-11f;                   // m^3 kg^-1 s^-2
    constexpr float SOFTENING = GALAXY ? 0.0025f : 1e-9f;  // m^2
    __shared__ float4 tile[BLOCK];
    const int t = threadIdx.x;                                // [0, BLOCK)
    const int first_target = blockIdx.x * PARTS * BLOCK + t;  // the others are BLOCK apart

    float4 own[PARTS];
    float sum_x[PARTS] = {}, sum_y[PARTS] = {}, sum_z[PARTS] = {};
#pragma unroll
    // a target past the count is the last one; its sums are not stored
    for (int p = 0; p < PARTS; ++p) own[p] = targets[min(first_target + p * BLOCK, targets_count - 1)];
    const int tiles = (sources_count + BLOCK - 1) / BLOCK;
    const int each = (tiles + gridDim.y - 1) / gridDim.y;  // tiles per slice; the last slices may have fewer or none
    const int first_tile = min(blockIdx.y * each, tiles), last_tile = min(first_tile + each, tiles);
    for (int first = first_tile * BLOCK; first < last_tile * BLOCK; first += BLOCK) {
        float4 loaded = sources[min(first + t, sources_count - 1)];
        if (first + t >= sources_count) loaded.w = 0.0f;  // past the count: the last source, with zero mass
        tile[t] = loaded;
        // the tile must be complete before any thread reads it
        __syncthreads();

#pragma unroll 4
        for (int k = 0; k < BLOCK; ++k) {
            const float4 source = tile[k];
#pragma unroll
            for (int p = 0; p < PARTS; ++p) {
                const float dx = source.x - own[p].x, dy = source.y - own[p].y, dz = source.z - own[p].z;
                // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
                const float inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
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
        if (i < targets_count) {
            const float scale = GALAXY ? 1.0f : GRAVITY * own[p].w;
            atomicAdd(sums + i, scale * sum_x[p]);
            atomicAdd(sums + targets_count + i, scale * sum_y[p]);
            atomicAdd(sums + 2 * targets_count + i, scale * sum_z[p]);
        }
    }
}

#define ENTRY_POINT(NAME, GALAXY)                                                                       \
    extern "C" __global__ void __launch_bounds__(128)                                                   \
        NAME(const float4* __restrict__ targets, int targets_count, const float4* __restrict__ sources, \
             int sources_count, float* sums) {                                                          \
        sums_of<GALAXY>(targets, targets_count, sources, sources_count, sums);                          \
    }

ENTRY_POINT(forces_of, false)
ENTRY_POINT(pulls_of, true)
