// forces_i += G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i, and the same for j: each pair once.
//
// shapes      left: (left_count) of float4, x, y, z and mass; right: (right_count) of float4; left_forces and
//             right_forces: (3, stride), one row per component, to which the kernel adds; stride at least the count;
//             counts >= 1. forces_within: bodies, (count), and their forces
// launch      a one-dimensional grid with at least one warp per pair of tiles of 256 bodies; block a multiple of 32, at
//             most 256. forces_between: pairs of a tile of the left and one of the right; forces_within: unordered
//             pairs of tiles, including each tile with itself. Counts are arbitrary: a body past its count has zero
//             mass, and its force is not stored.
// bottleneck  01: each pair of bodies is computed twice, on both ranks if they belong to different ranks. Counter:
//             thread_instructions.
// idea        stage06's 05, for two arrays: a rank that has received the bodies of another computes the forces on both,
//             and sends back those on the other's bodies.
// expected    as stage06's 05: 17 arithmetic instructions per pair, where 01 takes 24. Atomic additions: 3 per body for
//             each pair of tiles.

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

// Returns body i; past the count the last one, with zero mass.
__device__ __forceinline__ float4 body_at(const float4* bodies, int count, int i) {
    float4 body = bodies[min(i, count - 1)];
    if (i >= count) body.w = 0.0f;
    return body;
}

// Adds to the force on body i, unless it is past the count.
__device__ __forceinline__ void add_force(float* forces, int stride, int count, int i, float scale, float x, float y,
                                          float z) {
    if (i >= count) return;
    atomicAdd(forces + i, scale * x);
    atomicAdd(forces + stride + i, scale * y);
    atomicAdd(forces + 2 * stride + i, scale * z);
}

// The lane's bodies of a tile and the forces on them, without the factors G and their own mass.
struct Bodies {
    float4 body[EACH];
    float sum_x[EACH], sum_y[EACH], sum_z[EACH];
};

// Adds all interactions within the tile; each pair is computed twice, once for each of its bodies.
__device__ __forceinline__ void add_own_tile(Bodies& own, const float4* bodies, int count, int first, int lane) {
    for (int part = 0; part < TILE; part += WARP) {
        float4 source = body_at(bodies, count, first + part + lane);
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

// Adds the pairs of the tile with 32 bodies of another, one per lane; the reactions on those go to their forces.
__device__ __forceinline__ void add_pairs(Bodies& own, float4 partner, float* forces, int stride, int count, int j,
                                          int lane) {
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
    add_force(forces, stride, count, j, scale, reaction_x, reaction_y, reaction_z);
}

// Loads the lane's bodies of the tile that begins at `first`.
__device__ __forceinline__ Bodies load_tile(const float4* bodies, int count, int first, int lane) {
    Bodies own = {};
#pragma unroll
    for (int e = 0; e < EACH; ++e) own.body[e] = body_at(bodies, count, first + e * WARP + lane);
    return own;
}

// Adds the sums of the lane's bodies to their forces.
__device__ __forceinline__ void store_tile(const Bodies& own, float* forces, int stride, int count, int first,
                                           int lane) {
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const float scale = GRAVITY * own.body[e].w;
        add_force(forces, stride, count, first + e * WARP + lane, scale, own.sum_x[e], own.sum_y[e], own.sum_z[e]);
    }
}

// At least two resident blocks per multiprocessor: this allows the compiler 128 registers, which it needs.
extern "C" __global__ void __launch_bounds__(256, 2)
    forces_within(const float4* __restrict__ bodies, int count, float* forces, int stride) {
    const int lane = threadIdx.x % WARP;
    const int tiles = (count + TILE - 1) / TILE;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (warp >= tiles * (tiles + 1) / 2) return;
    // the tiles form a ring, and the tiles of a pair are `apart` places from each other: warps handle each tile with
    // itself first, then with its neighbor, and so on, up to half the ring, beyond which each pair would recur
    const int apart = warp / tiles;
    const int tile = warp % tiles, other = (tile + apart) % tiles;

    Bodies own = load_tile(bodies, count, tile * TILE, lane);
    if (apart == 0) {
        add_own_tile(own, bodies, count, tile * TILE, lane);
    } else {
        for (int part = 0; part < TILE; part += WARP) {
            const int j = other * TILE + part + lane;
            add_pairs(own, body_at(bodies, count, j), forces, stride, count, j, lane);
        }
    }
    store_tile(own, forces, stride, count, tile * TILE, lane);
}

extern "C" __global__ void __launch_bounds__(256, 2)
    forces_between(const float4* __restrict__ left, int left_count, float* left_forces,
                   const float4* __restrict__ right, int right_count, float* right_forces, int stride) {
    const int lane = threadIdx.x % WARP;
    const int across = (left_count + TILE - 1) / TILE, down = (right_count + TILE - 1) / TILE;  // tiles
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (warp >= across * down) return;
    // neighboring warps have different tiles on both sides, so that fewer add to the same forces at a time
    const int tile = warp % across, other = (warp / across + tile) % down;

    Bodies own = load_tile(left, left_count, tile * TILE, lane);
    for (int part = 0; part < TILE; part += WARP) {
        const int j = other * TILE + part + lane;
        add_pairs(own, body_at(right, right_count, j), right_forces, stride, right_count, j, lane);
    }
    store_tile(own, left_forces, stride, left_count, tile * TILE, lane);
}
