// a_i = sum_j m_j r / (|r|^2 + epsilon_squared)^(3/2); x_i' = x_i + v_i dt + a_i dt^2 / 2; v_i' = v_i + a_i dt.
//
// shapes    position, velocity in and new_position, new_velocity out: (n) of float4, position.w = mass m; both w are
//           copied. acceleration: (n) of float4, and arrived: (n / 256), all 0 before the first launch, and again after
//           each. n a multiple of 256, which the host reaches with bodies of no mass. epsilon_squared >= 1e-25, so that
//           its power -3/2 is finite.
// launch    requires compute capability 9.0; one row of blocks with a warp for each of tiles (tiles + 1) / 2 pairs of
//           tiles, or more; tiles = n / 256; block a multiple of 32.
// cost      40: as in 07, one root and four multiplications by it and by the masses for each pair, while the
//           special-function unit waits. Counter: thread_instructions.
// idea      09's pairs: 2^(lg m_i + lg m_j - 1.5 lg r^2) for 6 of a lane's 8 bodies, the visitors in shared memory. The
//           sums are forces then, and are divided by the masses before they are added to the accelerations.
// expected  arithmetic as in 09; a body of no mass has no acceleration.

constexpr unsigned int ALL_LANES = 0xffffffff;
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

// Adds to the components of an acceleration, each atomically.
__device__ __forceinline__ void add_to(float4* sum, float x, float y, float z) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(sum)), "f"(x), "f"(y),
                 "f"(z), "f"(0.0f)
                 : "memory");
}

// The lane's bodies of a tile, and what they feel. In pairs of different tiles, bodies that take a power have the
// logarithm of their mass in its place, and the sums are forces; within a tile they are accelerations.
struct Bodies {
    float4 body[EACH];
    float sum_x[EACH], sum_y[EACH], sum_z[EACH];
};

// From a force to an acceleration; a body of no mass has none.
__device__ __forceinline__ float inverse_mass(float mass) {
    return mass > 0.0f ? 1.0f / mass : 0.0f;
}

// All interactions of the tile with itself, each computed for both of its bodies.
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

// The pairs of the tile with 32 bodies of another, one per lane; what those feel goes to their accelerations.
__device__ __forceinline__ void add_visitors(Bodies& own, float4* ring, float4 guest, float4* acceleration,
                                             float epsilon_squared, int lane) {
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
            const float squared = dx * dx + (dy * dy + (dz * dz + epsilon_squared));
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
    const float scale = inverse_mass(guest.w);
    add_to(acceleration, scale * felt_x, scale * felt_y, scale * felt_z);
}

// What a step has and makes, by body.
struct Step {
    const float4* position;
    const float4* velocity;
    float4* new_position;
    float4* new_velocity;
    float4* acceleration;
    float dt;
};

// Moves the bodies of a tile, whose accelerations are whole, and makes those zero again.
__device__ __forceinline__ void move_tile(const Step& step, int first, int lane) {
    const float dt = step.dt;
    for (int i = first + lane; i < first + TILE; i += WARP) {
        // from L2, where the additions are
        const float4 a = __ldcg(step.acceleration + i);
        const float4 p = step.position[i], v = step.velocity[i];
        const float half = 0.5f * dt * dt;
        step.new_position[i] =
            make_float4(p.x + dt * v.x + half * a.x, p.y + dt * v.y + half * a.y, p.z + dt * v.z + half * a.z, p.w);
        step.new_velocity[i] = make_float4(v.x + dt * a.x, v.y + dt * a.y, v.z + dt * a.z, v.w);
        step.acceleration[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}

// Whether the warp is the last of `all` to come here; what the others have added before is then to be seen.
__device__ __forceinline__ bool is_last_warp(unsigned int* arrived, unsigned int all, int lane) {
    // each lane's additions before the count: who sees the count sees the additions
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

// Two blocks on a multiprocessor: the compiler may take 128 registers, and needs them.
extern "C" __global__ void __launch_bounds__(256, 2)
    galaxyMixedRoots(const float4* __restrict__ position, const float4* __restrict__ velocity,
                     float4* __restrict__ new_position, float4* __restrict__ new_velocity, float4* acceleration,
                     unsigned int* arrived, int n, float dt, float epsilon_squared) {
    constexpr int WARPS = 8;  // of a block, at most
    __shared__ float4 rings[WARPS][2 * WARP];
    const int lane = threadIdx.x % WARP;
    float4* const ring = rings[threadIdx.x / WARP];
    const int tiles = n / TILE;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (warp >= tiles * (tiles + 1) / 2) return;
    // pairs of tiles on a ring, as in 05
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
            add_visitors(own, ring, position[j], acceleration + j, epsilon_squared, lane);
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = tile * TILE + e * WARP + lane;
        const float scale = apart > 0 ? inverse_mass(position[i].w) : 1.0f;
        add_to(acceleration + i, scale * own.sum_x[e], scale * own.sum_y[e], scale * own.sum_z[e]);
    }

    // a tile is in a pair with each tile, itself included
    const Step step = {position, velocity, new_position, new_velocity, acceleration, dt};
    if (is_last_warp(arrived + tile, tiles, lane)) move_tile(step, tile * TILE, lane);
    if (apart > 0 && is_last_warp(arrived + other, tiles, lane)) move_tile(step, other * TILE, lane);
}
