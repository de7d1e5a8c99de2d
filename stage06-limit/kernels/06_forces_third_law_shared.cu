// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes    bodies: (n) of float4, x, y, z and mass; forces: (3, n), one row per component, 0 before the launch; n a
//           multiple of 512, which the host reaches with bodies of no mass
// launch    one row of blocks with a warp for each of tiles (tiles + 1) / 2 pairs of tiles, or more; tiles = n / 256;
//           block a multiple of 32.
// cost      05: four of the seven shuffles of a round carry what nobody changes. Counter: shuffles.
// idea      the visitors' positions and masses stay in shared memory, twice in a row, so that lane + k needs no wrap: one
//           load of 16 bytes in place of four shuffles. Only what the visitors feel goes around.
// expected  3 shuffles and one load of 4 wavefronts per lane for 8 pairs.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
constexpr float SOFTENING = 1e-9f;    // m^2
constexpr int WARP = 32;
constexpr int EACH = 8;            // bodies of a tile per lane
constexpr int TILE = WARP * EACH;  // bodies of a tile

// 1 / sqrt(x) to within 2^-22.9, as rsqrtf gives it; a subnormal x counts as 0.
__device__ __forceinline__ float fast_rsqrt(float x) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

// The value of the next lane; the last lane gets that of the first.
__device__ __forceinline__ float from_next(float value, int lane) {
    return __shfl_sync(ALL_LANES, value, lane + 1);
}

// The lane's bodies of a tile, and what they feel, without G and their own mass.
struct Bodies {
    float4 body[EACH];
    float sum_x[EACH], sum_y[EACH], sum_z[EACH];
};

// All interactions of the tile with itself, each computed for both of its bodies.
__device__ __forceinline__ void add_own_tile(Bodies& own, float4* ring, const float4* bodies, int first, int lane) {
    for (int part = 0; part < TILE; part += WARP) {
        ring[lane] = bodies[first + part + lane];
        // the warp reads what each lane has stored
        __syncwarp();
        for (int k = 0; k < WARP; ++k) {
            const float4 source = ring[k];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const float4 body = own.body[e];
                const float dx = source.x - body.x, dy = source.y - body.y, dz = source.z - body.z;
                // at most 1 / sqrt(SOFTENING) = 31623, so that its cube is finite and j = i adds exactly zero
                const float inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
                const float weight = source.w * inverse * inverse * inverse;
                own.sum_x[e] += weight * dx;
                own.sum_y[e] += weight * dy;
                own.sum_z[e] += weight * dz;
            }
        }
        // a lane ahead of others would store the next bodies over those that they still read
        __syncwarp();
    }
}

// The pairs of the tile with 32 bodies of another, one per lane; what those feel goes to the forces.
__device__ __forceinline__ void add_visitors(Bodies& own, float4* ring, float4 guest, float* forces, int n, int j,
                                             int lane) {
    const float scale = GRAVITY * guest.w;
    ring[lane] = guest;
    ring[lane + WARP] = guest;
    // the warp reads what each lane has stored
    __syncwarp();
    float felt_x = 0.0f, felt_y = 0.0f, felt_z = 0.0f;
#pragma unroll 8
    for (int k = 0; k < WARP; ++k) {
        const float4 visitor = ring[lane + k];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float4 body = own.body[e];
            const float dx = visitor.x - body.x, dy = visitor.y - body.y, dz = visitor.z - body.z;
            const float inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
            const float cube = inverse * inverse * inverse;
            const float weight = visitor.w * cube, reaction = body.w * cube;
            own.sum_x[e] += weight * dx;
            own.sum_y[e] += weight * dy;
            own.sum_z[e] += weight * dz;
            felt_x -= reaction * dx;
            felt_y -= reaction * dy;
            felt_z -= reaction * dz;
        }
        // to the lane before, which has that visitor next: after 32 rounds every sum is in its visitor's own lane
        felt_x = from_next(felt_x, lane);
        felt_y = from_next(felt_y, lane);
        felt_z = from_next(felt_z, lane);
    }
    atomicAdd(forces + j, scale * felt_x);
    atomicAdd(forces + n + j, scale * felt_y);
    atomicAdd(forces + 2 * n + j, scale * felt_z);
    // a lane ahead of others would store the next visitors over those that they still read
    __syncwarp();
}

// Two blocks on a multiprocessor: the compiler may take 128 registers, and needs them.
extern "C" __global__ void __launch_bounds__(256, 2)
    forcesThirdLawShared(const float4* __restrict__ bodies, float* __restrict__ forces, int n) {
    constexpr int WARPS = 8;  // of a block, at most
    __shared__ float4 rings[WARPS][2 * WARP];
    const int lane = threadIdx.x % WARP;
    float4* const ring = rings[threadIdx.x / WARP];
    const int tiles = n / TILE;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (warp >= tiles * (tiles + 1) / 2) return;
    // the tiles lie in a ring, and the first of a pair is `apart` places before the second: first each tile with
    // itself, then with its neighbor, and so on; halfway round, where each pair would come twice, the warps end
    const int apart = warp / tiles;
    const int tile = warp % tiles, other = (tile + apart) % tiles;

    Bodies own = {};
#pragma unroll
    for (int e = 0; e < EACH; ++e) own.body[e] = bodies[tile * TILE + e * WARP + lane];
    if (apart == 0) {
        add_own_tile(own, ring, bodies, tile * TILE, lane);
    } else {
        for (int part = 0; part < TILE; part += WARP) {
            const int j = other * TILE + part + lane;
            add_visitors(own, ring, bodies[j], forces, n, j, lane);
        }
    }

#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = tile * TILE + e * WARP + lane;
        const float scale = GRAVITY * own.body[e].w;
        atomicAdd(forces + i, scale * own.sum_x[e]);
        atomicAdd(forces + n + i, scale * own.sum_y[e]);
        atomicAdd(forces + 2 * n + i, scale * own.sum_z[e]);
    }
}
