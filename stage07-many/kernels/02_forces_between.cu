// forces_i += G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i, and the same for j: each pair once.
//
// shapes    left: (left_count) of float4, x, y, z and mass; right: (right_count) of float4; their forces: (3, stride),
//           one row per component, to which the kernel adds, stride at least the count; counts >= 1
// launch    one row of blocks with a warp for each pair of tiles, or more, a tile being 256 bodies; block a multiple of 32,
//           at most 256. forces_between: pairs of a tile of the left with one of the right; forces_within: unordered
//           pairs of tiles, each with itself included. Nothing must divide anything: a body past its count has no mass,
//           and what it feels is not stored.
// cost      01: each pair of bodies is computed twice; where they belong to two ranks, on both. Counter:
//           thread_instructions.
// idea      stage06's 05, for two arrays: a rank that has the bodies of another computes what both feel, and sends back
//           what the other's feel.
// expected  as stage06's 05: 17 instructions of arithmetic a pair, where 01 has 24. Atomic additions: 3 per body for each
//           pair of tiles.

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

// Body i; past the count the last one again, without its mass.
__device__ __forceinline__ float4 body_at(const float4* bodies, int count, int i) {
    float4 body = bodies[min(i, count - 1)];
    if (i >= count) body.w = 0.0f;
    return body;
}

// Adds to what body i feels, unless it lies past the count.
__device__ __forceinline__ void add_force(float* forces, int stride, int count, int i, float scale, float x, float y,
                                          float z) {
    if (i >= count) return;
    atomicAdd(forces + i, scale * x);
    atomicAdd(forces + stride + i, scale * y);
    atomicAdd(forces + 2 * stride + i, scale * z);
}

// The lane's bodies of a tile, and what they feel, without G and their own mass.
struct Bodies {
    float4 body[EACH];
    float sum_x[EACH], sum_y[EACH], sum_z[EACH];
};

// All interactions of the tile with itself, each computed for both of its bodies.
__device__ __forceinline__ void add_own_tile(Bodies& own, const float4* bodies, int count, int first, int lane) {
    for (int part = 0; part < TILE; part += WARP) {
        float4 source = body_at(bodies, count, first + part + lane);
        for (int k = 0; k < WARP; ++k) {
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
            source.x = from_next(source.x, lane);
            source.y = from_next(source.y, lane);
            source.z = from_next(source.z, lane);
            source.w = from_next(source.w, lane);
        }
    }
}

// The pairs of the tile with 32 bodies of another, one per lane; what those feel goes to their forces.
__device__ __forceinline__ void add_visitors(Bodies& own, float4 visitor, float* forces, int stride, int count, int j,
                                             int lane) {
    const float scale = GRAVITY * visitor.w;
    float felt_x = 0.0f, felt_y = 0.0f, felt_z = 0.0f;
#pragma unroll 8
    for (int k = 0; k < WARP; ++k) {
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
        // to the lane before: after 32 rounds every visitor is back in its own lane
        visitor.x = from_next(visitor.x, lane);
        visitor.y = from_next(visitor.y, lane);
        visitor.z = from_next(visitor.z, lane);
        visitor.w = from_next(visitor.w, lane);
        felt_x = from_next(felt_x, lane);
        felt_y = from_next(felt_y, lane);
        felt_z = from_next(felt_z, lane);
    }
    add_force(forces, stride, count, j, scale, felt_x, felt_y, felt_z);
}

// The lane's bodies of the tile that begins at `first`.
__device__ __forceinline__ Bodies load_tile(const float4* bodies, int count, int first, int lane) {
    Bodies own = {};
#pragma unroll
    for (int e = 0; e < EACH; ++e) own.body[e] = body_at(bodies, count, first + e * WARP + lane);
    return own;
}

// What the lane's bodies feel, to their forces.
__device__ __forceinline__ void store_tile(const Bodies& own, float* forces, int stride, int count, int first,
                                           int lane) {
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const float scale = GRAVITY * own.body[e].w;
        add_force(forces, stride, count, first + e * WARP + lane, scale, own.sum_x[e], own.sum_y[e], own.sum_z[e]);
    }
}

// Two blocks on a multiprocessor: the compiler may take 128 registers, and needs them.
extern "C" __global__ void __launch_bounds__(256, 2)
    forces_within(const float4* __restrict__ bodies, int count, float* forces, int stride) {
    const int lane = threadIdx.x % WARP;
    const int tiles = (count + TILE - 1) / TILE;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (warp >= tiles * (tiles + 1) / 2) return;
    // the tiles lie in a ring, and the first of a pair is `apart` places before the second: first each tile with
    // itself, then with its neighbor, and so on; halfway round, where each pair would come twice, the warps end
    const int apart = warp / tiles;
    const int tile = warp % tiles, other = (tile + apart) % tiles;

    Bodies own = load_tile(bodies, count, tile * TILE, lane);
    if (apart == 0) {
        add_own_tile(own, bodies, count, tile * TILE, lane);
    } else {
        for (int part = 0; part < TILE; part += WARP) {
            const int j = other * TILE + part + lane;
            add_visitors(own, body_at(bodies, count, j), forces, stride, count, j, lane);
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
    // neighbors take different tiles of both sides, so that fewer add to the same forces at a time
    const int tile = warp % across, other = (warp / across + tile) % down;

    Bodies own = load_tile(left, left_count, tile * TILE, lane);
    for (int part = 0; part < TILE; part += WARP) {
        const int j = other * TILE + part + lane;
        add_visitors(own, body_at(right, right_count, j), right_forces, stride, right_count, j, lane);
    }
    store_tile(own, left_forces, stride, left_count, tile * TILE, lane);
}
