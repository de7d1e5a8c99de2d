// a_i = sum_j m_j r / (|r|^2 + epsilon_squared)^(3/2); x_i' = x_i + v_i dt + a_i dt^2 / 2; v_i' = v_i + a_i dt.
//
// shapes      inputs position, velocity and outputs new_position, new_velocity: (n) of float4, position.w is the mass
//             m; both w are copied. acceleration: (n) of float4, and arrived: (n / 256), all 0 before the first launch
//             and again after each. n a multiple of 256, to which the host pads with bodies of zero mass.
//             epsilon_squared >= 1e-25, which keeps its power -3/2 finite.
// launch      requires compute capability 9.0; a one-dimensional grid with at least one warp for each of tiles
//             (tiles + 1) / 2 pairs of tiles; tiles = n / 256; block a multiple of 32.
// bottleneck  40: as in 07, each pair takes one root and four multiplications by it and by the masses, while the
//             special-function unit waits. Counter: thread_instructions.
// idea        the pairs of 09: 2^(lg m_i + lg m_j - 1.5 lg r^2) for 6 of a lane's 8 bodies, with the partners in shared
//             memory. The sums are then forces, and are divided by the masses before they are added to the
//             accelerations.
// expected    arithmetic as in 09; a body of zero mass has no acceleration.

constexpr unsigned int ALL_LANES = 0xffffffff;
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

// Adds to the components of an acceleration; each addition is atomic.
__device__ __forceinline__ void add_to(float4* sum, float x, float y, float z) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(sum)), "f"(x), "f"(y),
                 "f"(z), "f"(0.0f)
                 : "memory");
}

// The lane's bodies of a tile and their sums. For pairs of different tiles, bodies that use a power store the
// logarithm of their mass, and the sums are forces; within a tile the sums are accelerations.
struct Bodies {
    float4 body[EACH];
    float sum_x[EACH], sum_y[EACH], sum_z[EACH];
};

// Returns the factor from force to acceleration; 0 for a body of zero mass.
__device__ __forceinline__ float inverse_mass(float mass) {
    return mass > 0.0f ? 1.0f / mass : 0.0f;
}

// Adds all interactions within the tile; each pair is computed twice, once for each of its bodies.
__device__ __forceinline__ void add_own_tile(Bodies& own, const float4* bodies, int first, float epsilon_squared,
                                             int lane) {
    for (int part = 0; part < TILE; part += WARP) {
        float4 source = bodies[first + part + lane];
        for (int k = 0; k < WARP; ++k) {
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const float4 body = own.body[e];
                const float dx = source.x - body.x, dy = source.y - body.y, dz = source.z - body.z;
                const float inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + epsilon_squared)));
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

// Adds the pairs of the tile with 32 bodies of another, one per lane; the reactions go to the accelerations of those.
__device__ __forceinline__ void add_pairs(Bodies& own, float4* ring, float4 loaded, float4* acceleration,
                                          float epsilon_squared, int lane) {
    // a fast lane must not overwrite the previous partners while slower lanes still read them
    __syncwarp();
    ring[lane] = loaded;
    ring[lane + WARP] = loaded;
    // the bodies must be complete before any lane reads them
    __syncwarp();
    float reaction_x = 0.0f, reaction_y = 0.0f, reaction_z = 0.0f;
#pragma unroll 8
    for (int k = 0; k < WARP; ++k) {
        const float4 partner = ring[lane + k];
        const float logarithm = fast_log2(partner.w);
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float4 body = own.body[e];
            const float dx = partner.x - body.x, dy = partner.y - body.y, dz = partner.z - body.z;
            const float squared = dx * dx + (dy * dy + (dz * dz + epsilon_squared));
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
        // rotate to the previous lane, which reads that partner next: 32 iterations return every sum to its lane
        reaction_x = from_next(reaction_x, lane);
        reaction_y = from_next(reaction_y, lane);
        reaction_z = from_next(reaction_z, lane);
    }
    const float scale = inverse_mass(loaded.w);
    add_to(acceleration, scale * reaction_x, scale * reaction_y, scale * reaction_z);
}

// The inputs and outputs of a step, one element per body.
struct Step {
    const float4* position;
    const float4* velocity;
    float4* new_position;
    float4* new_velocity;
    float4* acceleration;
    float dt;
};

// Moves the bodies of a tile, whose accelerations are complete, and resets these to zero.
__device__ __forceinline__ void move_tile(const Step& step, int first, int lane) {
    const float dt = step.dt;
    for (int i = first + lane; i < first + TILE; i += WARP) {
        // from L2, where the atomic additions take place
        const float4 a = __ldcg(step.acceleration + i);
        const float4 p = step.position[i], v = step.velocity[i];
        const float half = 0.5f * dt * dt;
        step.new_position[i] =
            make_float4(p.x + dt * v.x + half * a.x, p.y + dt * v.y + half * a.y, p.z + dt * v.z + half * a.z, p.w);
        step.new_velocity[i] = make_float4(v.x + dt * a.x, v.y + dt * a.y, v.z + dt * a.z, v.w);
        step.acceleration[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}

// Returns whether the warp is the last of `all` to call this; it then sees the earlier additions of the others.
__device__ __forceinline__ bool is_last_warp(unsigned int* arrived, unsigned int all, int lane) {
    // each lane's additions precede the increment: a warp that sees the increment sees the additions
    __threadfence();
    __syncwarp();
    bool is_last = false;
    if (lane == 0) {
        is_last = atomicAdd(arrived, 1) == all - 1;
        if (is_last) *arrived = 0;  // for the next launch
    }
    is_last = __shfl_sync(ALL_LANES, is_last, 0);
    __threadfence();
    return is_last;
}

// At least two resident blocks per multiprocessor: this allows the compiler 128 registers, which it needs.
extern "C" __global__ void __launch_bounds__(256, 2)
    galaxyMixedRoots(const float4* __restrict__ position, const float4* __restrict__ velocity,
                     float4* __restrict__ new_position, float4* __restrict__ new_velocity, float4* acceleration,
                     unsigned int* arrived, int n, float dt, float epsilon_squared) {
    constexpr int WARPS = 8;  // per block, at most
    __shared__ float4 rings[WARPS][2 * WARP];
    const int lane = threadIdx.x % WARP;
    float4* const ring = rings[threadIdx.x / WARP];
    const int tiles = n / TILE;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (warp >= tiles * (tiles + 1) / 2) return;
    // pairs of tiles in a ring, as in 05
    const int apart = warp / tiles;
    const int tile = warp % tiles, other = (tile + apart) % tiles;

    Bodies own = {};
#pragma unroll
    for (int e = 0; e < EACH; ++e) own.body[e] = position[tile * TILE + e * WARP + lane];
    if (apart == 0) {
        add_own_tile(own, position, tile * TILE, epsilon_squared, lane);
    } else {
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            if (takes_power(e)) own.body[e].w = fast_log2(own.body[e].w);
        }
        for (int part = 0; part < TILE; part += WARP) {
            const int j = other * TILE + part + lane;
            add_pairs(own, ring, position[j], acceleration + j, epsilon_squared, lane);
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = tile * TILE + e * WARP + lane;
        const float scale = apart > 0 ? inverse_mass(position[i].w) : 1.0f;
        add_to(acceleration + i, scale * own.sum_x[e], scale * own.sum_y[e], scale * own.sum_z[e]);
    }

    // each tile is paired with every tile, itself included
    const Step step = {position, velocity, new_position, new_velocity, acceleration, dt};
    if (is_last_warp(arrived + tile, tiles, lane)) move_tile(step, tile * TILE, lane);
    if (apart > 0 && is_last_warp(arrived + other, tiles, lane)) move_tile(step, other * TILE, lane);
}
