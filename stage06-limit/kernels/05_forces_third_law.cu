// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      bodies: (n) of float4, x, y, z and mass; forces: (3, n), one row per component, 0 before the launch; n a
//             multiple of 512, to which the host pads with bodies of zero mass
// launch      a one-dimensional grid with at least one warp for each of tiles (tiles + 1) / 2 pairs of tiles;
//             tiles = n / 256; block a multiple of 32.
// bottleneck  04: every pair of bodies is computed twice, once for each of the two. Counter: thread_instructions.
// idea        Newton's third law within a warp: the force of j on i is minus the force of i on j. A tile is 256 bodies,
//             8 per lane. A warp takes one unordered pair of tiles: it loads 32 bodies of the second at a time, one per
//             lane, and rotates them through all lanes by shuffles, together with the sums of their forces.
// expected    7 shuffles per lane for 8 pairs; 17 arithmetic instructions per pair, whereas two interactions of 04 take
//             26. Atomic additions: 3 per body for each pair of tiles, 4 sectors per request.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
constexpr float SOFTENING = 1e-9f;    // m^2
constexpr int WARP = 32;
constexpr int EACH = 8;            // bodies per lane in a tile
constexpr int TILE = WARP * EACH;  // bodies per tile

// Returns 1 / sqrt(x) to within 2^-22.9, the accuracy of rsqrtf; a subnormal x counts as 0.
__device__ __forceinline__ float fast_rsqrt(float x) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

// Returns the value of the next lane; the last lane receives the value of the first.
__device__ __forceinline__ float from_next(float value, int lane) {
    return __shfl_sync(ALL_LANES, value, lane + 1);
}

// The lane's bodies of a tile and the forces on them, without the factors G and their own mass.
struct Bodies {
    float4 body[EACH];
    float sum_x[EACH], sum_y[EACH], sum_z[EACH];
};

// Adds all interactions within the tile; each pair is computed twice, once for each of its bodies.
__device__ __forceinline__ void add_own_tile(Bodies& own, const float4* bodies, int first, int lane) {
    for (int part = 0; part < TILE; part += WARP) {
        float4 source = bodies[first + part + lane];
        for (int k = 0; k < WARP; ++k) {
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const float4 body = own.body[e];
                const float dx = source.x - body.x, dy = source.y - body.y, dz = source.z - body.z;
                // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
                const float inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
                const float weight = source.w * inverse * inverse * inverse;
                own.sum_x[e] += weight * dx;
                own.sum_y[e] += weight * dy;
                own.sum_z[e] += weight * dz;
            }
            source.x = from_next(source.x, lane);
            source.y = from_next(source.y, lane);
            source.z = from_next(source.z, lane);
            source.w = from_next(source.w, lane);
        }
    }
}

// Adds the pairs of the tile with 32 bodies of another, one per lane; the reactions on those go to the forces.
__device__ __forceinline__ void add_pairs(Bodies& own, float4 partner, float* forces, int n, int j, int lane) {
    const float scale = GRAVITY * partner.w;
    float reaction_x = 0.0f, reaction_y = 0.0f, reaction_z = 0.0f;
#pragma unroll 8
    for (int k = 0; k < WARP; ++k) {
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float4 body = own.body[e];
            const float dx = partner.x - body.x, dy = partner.y - body.y, dz = partner.z - body.z;
            const float inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
            const float cube = inverse * inverse * inverse;
            const float weight = partner.w * cube, reaction = body.w * cube;
            own.sum_x[e] += weight * dx;
            own.sum_y[e] += weight * dy;
            own.sum_z[e] += weight * dz;
            reaction_x -= reaction * dx;
            reaction_y -= reaction * dy;
            reaction_z -= reaction * dz;
        }
        // rotate to the previous lane: after 32 iterations every partner is back in its own lane
        partner.x = from_next(partner.x, lane);
        partner.y = from_next(partner.y, lane);
        partner.z = from_next(partner.z, lane);
        partner.w = from_next(partner.w, lane);
        reaction_x = from_next(reaction_x, lane);
        reaction_y = from_next(reaction_y, lane);
        reaction_z = from_next(reaction_z, lane);
    }
    atomicAdd(forces + j, scale * reaction_x);
    atomicAdd(forces + n + j, scale * reaction_y);
    atomicAdd(forces + 2 * n + j, scale * reaction_z);
}

// At least two resident blocks per multiprocessor: this allows the compiler 128 registers, which it needs.
extern "C" __global__ void __launch_bounds__(256, 2)
    forcesThirdLaw(const float4* __restrict__ bodies, float* __restrict__ forces, int n) {
    const int lane = threadIdx.x % WARP;
    const int tiles = n / TILE;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (warp >= tiles * (tiles + 1) / 2) return;
    // the tiles form a ring, and the tiles of a pair are `apart` places from each other: warps handle each tile with
    // itself first, then with its neighbor, and so on, up to half the ring, beyond which each pair would recur
    const int apart = warp / tiles;
    const int tile = warp % tiles, other = (tile + apart) % tiles;

    Bodies own = {};
#pragma unroll
    for (int e = 0; e < EACH; ++e) own.body[e] = bodies[tile * TILE + e * WARP + lane];
    if (apart == 0) {
        add_own_tile(own, bodies, tile * TILE, lane);
    } else {
        for (int part = 0; part < TILE; part += WARP) {
            const int j = other * TILE + part + lane;
            add_pairs(own, bodies[j], forces, n, j, lane);
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
