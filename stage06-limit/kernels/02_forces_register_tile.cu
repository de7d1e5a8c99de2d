// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      bodies: (n) of float4, x, y, z and mass; forces: (3, n), one row per component; n a multiple of 512, to
//             which the host pads with bodies of zero mass
// launch      a one-dimensional grid of at least ceil(n / (4 BLOCK)) blocks, block = BLOCK, which is in the name of the
//             entry point.
// bottleneck  01: one 16-byte shared-memory load per interaction, and loop overhead for every source. Counters:
//             shared_load_requests, warp_instructions.
// idea        register tiling: each thread has four targets, whose coordinates and sums stay in registers. One load
//             serves four interactions, which are independent of each other.
// expected    a quarter of 01's shared-memory requests per interaction. There are a quarter of the warps, so that n
//             must be large before each scheduler of a large GPU has one.

template <int BLOCK>
__device__ __forceinline__ void forces_register_tile(const float4* bodies, float* forces, int n) {
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
    for (int first = 0; first < n; first += BLOCK) {
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
            forces[i] = scale * sum_x[p];
            forces[n + i] = scale * sum_y[p];
            forces[2 * n + i] = scale * sum_z[p];
        }
    }
}

#define ENTRY_POINT(BLOCK)                                                                                 \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                    \
        forcesRegisterTile_##BLOCK(const float4* __restrict__ bodies, float* __restrict__ forces, int n) { \
        forces_register_tile<BLOCK>(bodies, forces, n);                                                    \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
