// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes    bodies: (n) of float4, x, y, z and mass; forces: (n) of float4, three components and 0, all 0 before the
//           launch; n a multiple of 512, which the host reaches with bodies of no mass
// launch    requires compute capability 9.0; one row of blocks with a warp for each of tiles (tiles + 1) / 2 pairs of
//           tiles, or more; tiles = n / 256; block a multiple of 32.
// cost      08: as in 05, four of the seven shuffles of a round carry what nobody changes. Counter: shuffles.
// idea      06's: the visitors stay in shared memory, twice in a row, and what they feel alone goes around. There it
//           cost more than it saved; here a lane's sums need fewer registers at once, and a load has time to arrive.
// expected  3 shuffles and one load of 4 wavefronts per lane for 8 pairs, and fewer instructions than 08.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
constexpr float SOFTENING = 1e-9f;    // m^2
constexpr int WARP = 32;
constexpr int EACH = 8;            // bodies of a tile per lane
constexpr int POWERS = 6;          // of them, those whose pairs take a logarithm and a power
constexpr int TILE = WARP * EACH;  // bodies of a tile

// 1 / sqrt(x) to within 2^-22.9, as rsqrtf gives it; a subnormal x counts as 0.
__device__ __forceinline__ float fast_rsqrt(float x) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

__device__ __forceinline__ float fast_log2(float x) {
    float logarithm;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(logarithm) : "f"(x));
    return logarithm;
}

__device__ __forceinline__ float fast_exp2(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

// Whether the pairs of a lane's body take a power: 6 of the 8, spread evenly.
__device__ __forceinline__ constexpr bool takes_power(int e) {
    return e * POWERS / EACH != (e + 1) * POWERS / EACH;
}

// The value of the next lane; the last lane gets that of the first.
__device__ __forceinline__ float from_next(float value, int lane) {
    return __shfl_sync(ALL_LANES, value, lane + 1);
}

// Adds to the components of a force, each atomically.
__device__ __forceinline__ void add_to(float4* force, float x, float y, float z) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(force)), "f"(x), "f"(y),
                 "f"(z), "f"(0.0f)
                 : "memory");
}

// The lane's bodies of a tile, and what they feel. In pairs of different tiles, bodies that take a power have the
// logarithm of their mass in its place, and all sums lack G alone; within a tile they lack G and the body's own mass.
struct Bodies {
    float4 body[EACH];
    float sum_x[EACH], sum_y[EACH], sum_z[EACH];
};

// All interactions of the tile with itself, each computed for both of its bodies.
__device__ __forceinline__ void add_own_tile(Bodies& own, const float4* bodies, int first, int lane) {
    for (int part = 0; part < TILE; part += WARP) {
        float4 source = bodies[first + part + lane];
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

// The pairs of the tile with 32 bodies of another, one per lane; what those feel goes to the forces.
__device__ __forceinline__ void add_visitors(Bodies& own, float4* ring, float4 guest, float4* force, int lane) {
    // the warp has read the visitors before
    __syncwarp();
    ring[lane] = guest;
    ring[lane + WARP] = guest;
    // the warp reads what each lane has stored
    __syncwarp();
    float felt_x = 0.0f, felt_y = 0.0f, felt_z = 0.0f;
#pragma unroll 8
    for (int k = 0; k < WARP; ++k) {
        const float4 visitor = ring[lane + k];
        const float logarithm = fast_log2(visitor.w);
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float4 body = own.body[e];
            const float dx = visitor.x - body.x, dy = visitor.y - body.y, dz = visitor.z - body.z;
            const float squared = dx * dx + (dy * dy + (dz * dz + SOFTENING));
            float factor;
            if (takes_power(e)) {
                factor = fast_exp2(body.w + logarithm - 1.5f * fast_log2(squared));
            } else {
                const float inverse = fast_rsqrt(squared);
                factor = body.w * inverse * (visitor.w * inverse * inverse);
            }
            own.sum_x[e] += factor * dx;
            own.sum_y[e] += factor * dy;
            own.sum_z[e] += factor * dz;
            felt_x -= factor * dx;
            felt_y -= factor * dy;
            felt_z -= factor * dz;
        }
        // to the lane before, which has that visitor next: after 32 rounds every sum is in its visitor's own lane
        felt_x = from_next(felt_x, lane);
        felt_y = from_next(felt_y, lane);
        felt_z = from_next(felt_z, lane);
    }
    add_to(force, GRAVITY * felt_x, GRAVITY * felt_y, GRAVITY * felt_z);
}

// Two blocks on a multiprocessor: the compiler may take 128 registers, and needs them.
extern "C" __global__ void __launch_bounds__(256, 2)
    forcesMixedRootsShared(const float4* __restrict__ bodies, float4* __restrict__ forces, int n) {
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
        add_own_tile(own, bodies, tile * TILE, lane);
    } else {
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            if (takes_power(e)) own.body[e].w = fast_log2(own.body[e].w);
        }
        for (int part = 0; part < TILE; part += WARP) {
            const int j = other * TILE + part + lane;
            add_visitors(own, ring, bodies[j], forces + j, lane);
        }
    }

#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = tile * TILE + e * WARP + lane;
        const float scale = apart > 0 ? GRAVITY : GRAVITY * own.body[e].w;
        add_to(forces + i, scale * own.sum_x[e], scale * own.sum_y[e], scale * own.sum_z[e]);
    }
}
