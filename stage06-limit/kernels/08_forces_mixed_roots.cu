// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      bodies: (n) of float4, x, y, z and mass; forces: (n) of float4, three components and 0, all 0 before the
//             launch; n a multiple of 512, to which the host pads with bodies of zero mass
// launch      requires compute capability 9.0; a one-dimensional grid with at least one warp for each of tiles
//             (tiles + 1) / 2 pairs of tiles; tiles = n / 256; block a multiple of 32.
// bottleneck  07: of the 17 instructions per pair, four are multiplications by 1 / |r| and by the two masses, while the
//             special-function unit is busy for less of the time than the issue slots. Counter: thread_instructions.
// idea        for 6 of a lane's 8 bodies, m_i m_j / |r|^3 = 2^(lg m_i + lg m_j - 1.5 lg |r|^2): a logarithm, an
//             addition, a multiply-add and a power instead of a root and four multiplications. This is one instruction
//             fewer, but one more for the special-function unit. The other bodies keep the root, which balances the two
//             kinds of unit. Both sums of a pair use the same factor, which is computed once.
// expected    a body of zero mass has a logarithm of minus infinity, whose power is 0. A relative error of up to 2e-5
//             for the closest pairs of light bodies, and of 1e-6 for most; 1e-6 in the forces as a whole.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
constexpr float SOFTENING = 1e-9f;    // m^2
constexpr int WARP = 32;
constexpr int EACH = 8;            // bodies per lane in a tile
constexpr int POWERS = 6;          // the number of them whose pairs use a logarithm and a power
constexpr int TILE = WARP * EACH;  // bodies per tile

// Returns 1 / sqrt(x) to within 2^-22.9, the accuracy of rsqrtf; a subnormal x counts as 0.
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

// Returns whether the pairs of a lane's body use a power: 6 of the 8, spread evenly.
__device__ __forceinline__ constexpr bool takes_power(int e) {
    return e * POWERS / EACH != (e + 1) * POWERS / EACH;
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

// The lane's bodies of a tile and the forces on them. For pairs of different tiles, bodies that use a power store the
// logarithm of their mass, and all sums lack only the factor G; within a tile they lack G and the body's own mass.
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
    float reaction_x = 0.0f, reaction_y = 0.0f, reaction_z = 0.0f;
#pragma unroll 8
    for (int k = 0; k < WARP; ++k) {
        const float logarithm = fast_log2(partner.w);
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float4 body = own.body[e];
            const float dx = partner.x - body.x, dy = partner.y - body.y, dz = partner.z - body.z;
            const float squared = dx * dx + (dy * dy + (dz * dz + SOFTENING));
            float factor;
            if (takes_power(e)) {
                factor = fast_exp2(body.w + logarithm - 1.5f * fast_log2(squared));
            } else {
                const float inverse = fast_rsqrt(squared);
                factor = body.w * inverse * (partner.w * inverse * inverse);
            }
            own.sum_x[e] += factor * dx;
            own.sum_y[e] += factor * dy;
            own.sum_z[e] += factor * dz;
            reaction_x -= factor * dx;
            reaction_y -= factor * dy;
            reaction_z -= factor * dz;
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
    add_to(force, GRAVITY * reaction_x, GRAVITY * reaction_y, GRAVITY * reaction_z);
}

// At least two resident blocks per multiprocessor: this allows the compiler 128 registers, which it needs.
extern "C" __global__ void __launch_bounds__(256, 2)
    forcesMixedRoots(const float4* __restrict__ bodies, float4* __restrict__ forces, int n) {
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
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            if (takes_power(e)) own.body[e].w = fast_log2(own.body[e].w);
        }
        for (int part = 0; part < TILE; part += WARP) {
            const int j = other * TILE + part + lane;
            add_pairs(own, bodies[j], forces + j, lane);
        }
    }

#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = tile * TILE + e * WARP + lane;
        const float scale = apart > 0 ? GRAVITY : GRAVITY * own.body[e].w;
        add_to(forces + i, scale * own.sum_x[e], scale * own.sum_y[e], scale * own.sum_z[e]);
    }
}
