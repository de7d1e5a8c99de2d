// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      bodies: (n) of float4, x, y, z and mass; forces: (3, n), one row per component; n a multiple of 512, to
//             which the host pads with bodies of zero mass
// launch      a one-dimensional grid of ceil(n / BLOCK) blocks, block = BLOCK, which is in the name of the entry point
//             and divides n.
// bottleneck  stage03's 02: a source takes four shared-memory loads from four arrays, which the compiler may or may not
//             combine. Counters: shared_load_requests, shared_load_wavefronts.
// idea        a source is one float4 in both global and shared memory: one 16-byte load each. In addition,
//             |r|^2 + SOFTENING is summed from its end, which makes it three fused multiply-adds; summed from its
//             beginning it takes four instructions.
// expected    tile: one load of 16 sectors per warp; one store of 4 wavefronts. Source: one request of 2 wavefronts for
//             32 interactions.

template <int BLOCK>
__device__ __forceinline__ void forces_float4(const float4* bodies, float* forces, int n) {
    constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
    constexpr float SOFTENING = 1e-9f;    // m^2
    __shared__ float4 tile[BLOCK];
    const int t = threadIdx.x;             // [0, BLOCK)
    const int i = blockIdx.x * BLOCK + t;  // target, [0, n)

    const float4 own = bodies[i];
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    for (int first = 0; first < n; first += BLOCK) {
        tile[t] = bodies[first + t];
        // the tile must be complete before any thread reads it
        __syncthreads();

#pragma unroll 16
        for (int k = 0; k < BLOCK; ++k) {
            const float4 source = tile[k];
            const float dx = source.x - own.x, dy = source.y - own.y, dz = source.z - own.z;
            // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
            const float inverse = rsqrtf(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
            const float weight = source.w * inverse * inverse * inverse;
            sum_x += weight * dx;
            sum_y += weight * dy;
            sum_z += weight * dz;
        }
        // a fast warp must not overwrite the tile while slower warps still read it
        __syncthreads();
    }

    const float scale = GRAVITY * own.w;
    forces[i] = scale * sum_x;
    forces[n + i] = scale * sum_y;
    forces[2 * n + i] = scale * sum_z;
}

#define ENTRY_POINT(BLOCK)                                                                           \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                              \
        forcesFloat4_##BLOCK(const float4* __restrict__ bodies, float* __restrict__ forces, int n) { \
        forces_float4<BLOCK>(bodies, forces, n);                                                     \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
