// sums_i += scale_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i, over the sources that are given.
//
// shapes    targets: (targets_count) of float4, x, y, z and mass; sources: (sources_count) of float4; sums:
//           (3, targets_count), one row per component, to which the kernel adds; both counts >= 1
// launch    two dimensions, ceil(targets_count / 512) blocks along x, any number of slices of the sources along y;
//           block = 128. Nothing must divide anything: a target past its count is not stored, a source past its count
//           has no mass. Indices are 32-bit: 3 * targets_count < 2^31.
// cost      stage06's 04, whose targets are its sources: all bodies must have come before the first sum.
// idea      targets and sources are two arrays, and the kernel adds. So a rank sums for its own bodies over whatever
//           part of all bodies has come, in any order, and over the rest later.
// expected  as stage06's 04, with targets_count * sources_count interactions.
//
// forces_of is of problem A: scale_i = G m_i. pulls_of is of problem D, where G is 1: scale_i = 1.

constexpr int BLOCK = 128;
constexpr int PARTS = 4;  // targets per thread

// 1 / sqrt(x) to within 2^-22.9, as rsqrtf gives it; a subnormal x counts as 0.
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
    const int first_target = blockIdx.x * PARTS * BLOCK + t;  // the others follow BLOCK apart

    float4 own[PARTS];
    float sum_x[PARTS] = {}, sum_y[PARTS] = {}, sum_z[PARTS] = {};
#pragma unroll
    // a target past its count is the last one again, whose sums are not stored
    for (int p = 0; p < PARTS; ++p) own[p] = targets[min(first_target + p * BLOCK, targets_count - 1)];
    const int tiles = (sources_count + BLOCK - 1) / BLOCK;
    const int each = (tiles + gridDim.y - 1) / gridDim.y;  // tiles per slice; the last slices may have fewer, or none
    const int first_tile = min(blockIdx.y * each, tiles), last_tile = min(first_tile + each, tiles);
    for (int first = first_tile * BLOCK; first < last_tile * BLOCK; first += BLOCK) {
        float4 loaded = sources[min(first + t, sources_count - 1)];
        if (first + t >= sources_count) loaded.w = 0.0f;  // past the count: the last source again, without its mass
        tile[t] = loaded;
        // all threads read what each has stored
        __syncthreads();

#pragma unroll 4
        for (int k = 0; k < BLOCK; ++k) {
            const float4 source = tile[k];
#pragma unroll
            for (int p = 0; p < PARTS; ++p) {
                const float dx = source.x - own[p].x, dy = source.y - own[p].y, dz = source.z - own[p].z;
                // at most 1 / sqrt(SOFTENING) = 31623, so that its cube is finite and j = i adds exactly zero
                const float inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
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
