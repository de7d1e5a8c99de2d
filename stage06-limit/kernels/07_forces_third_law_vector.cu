// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      bodies: (n) of float4, x, y, z and mass; forces: (n) of float4, three components and 0, all 0 before the
//             launch; n a multiple of 512, to which the host pads with bodies of zero mass
// launch      requires compute capability 9.0; a one-dimensional grid with at least one warp for each of tiles
//             (tiles + 1) / 2 pairs of tiles; tiles = n / 256; block a multiple of 32.
// bottleneck  05: three atomic additions per body for each pair of tiles, each a separate request. Counter:
//             global_atomic_requests.
// idea        one atomic addition of a vector of four floats (red.v4, from compute capability 9.0 on), for which the
//             components of a force are stored together.
// expected    a third of the atomic requests, each of 16 sectors. Arithmetic as in 05.

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

// Adds to the components of a force; each addition is atomic.
__device__ __forceinline__ void add_to(float4* force, float x, float y, float z) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(force)), "f"(x), "f"(y),
                 "f"(z), "f"(0.0f)
                 : "memory");
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
__device__ __forceinline__ void add_pairs(Bodies& own, float4 partner, float4* force, int lane) {
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
    add_to(force, scale * reaction_x, scale * reaction_y, scale * reaction_z);
}

// At least two resident blocks per multiprocessor: this allows the compiler 128 registers, which it needs.
extern "C" __global__ void __launch_bounds__(256, 2)
    forcesThirdLawVector(const float4* __restrict__ bodies, float4* __restrict__ forces, int n) {
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
            add_pairs(own, bodies[j], forces + j, lane);
        }
    }

#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = tile * TILE + e * WARP + lane;
        const float scale = GRAVITY * own.body[e].w;
        add_to(forces + i, scale * own.sum_x[e], scale * own.sum_y[e], scale * own.sum_z[e]);
    }
}
