// One semi-implicit Euler step in the unit square with periodic boundaries: a_i = sum over j != i of r / |r|^3, r = the
// displacement from x_i to the nearest image of x_j; v_i += a_i dt; x_i' = x_i + v_i dt.
//
// shapes      input position and output new_position: (n) of uint2, in units of 2^-32 of the square's side; velocity:
//             (n) of float2, updated in place; acceleration: (n) of float2, written; n >= 1
// launch      a one-dimensional grid with at least one block per 32 bodies, block = 1024. n is arbitrary. Indices are
//             32-bit: 32 * grid + n < 2^31.
// bottleneck  12: 4096 threads are 16 blocks, which occupy 16 of 132 multiprocessors, and a second launch moves the
//             bodies. No counter shows it; the grid size does.
// idea        split the sources over the threads of a block: its 1024 threads share 32 targets, 4 for each of 8 lanes,
//             and each of 128 groups of 8 lanes takes every 128th source. 4096 bodies are then 128 blocks. The block
//             that has the complete sum of a body also moves it, into a second array, since other blocks still read the
//             first.
// expected    shuffles and shared memory for the partial sums of the groups, one barrier per chunk of sources and one
//             for the sums.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int BLOCK = 1024;
constexpr int WARPS = BLOCK / WARP;
constexpr int EACH = 4;                 // targets per thread
constexpr int ACROSS = 8;               // lanes with different targets
constexpr int OWN = EACH * ACROSS;      // targets per block
constexpr int GROUPS = BLOCK / ACROSS;  // groups of lanes with different sources
constexpr int CHUNK = 4096;             // sources in shared memory at a time
constexpr float UNITS = 4294967296.0f;  // units per side, 2^32

// Returns 1 / sqrt(x) to within 2^-22.9, the accuracy of rsqrtf; a subnormal x counts as 0.
__device__ __forceinline__ float fast_rsqrt(float x) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

// Returns a path in units of 2^-32 of the side, modulo the side. The path must be shorter than 2^31 sides.
__device__ __forceinline__ unsigned int fraction(float path) {
    return (unsigned int)__float2ll_rn(UNITS * path);
}

// Returns the sum of `value` over every `apart`th lane, in all of these lanes.
__device__ __forceinline__ float lane_sum(float value, int apart) {
    for (int mask = apart; mask < WARP; mask *= 2) value += __shfl_xor_sync(ALL_LANES, value, mask);
    return value;
}

// Computes one partial sum per warp of the acceleration of the block's targets, which begin at `first`.
__device__ __forceinline__ void add_pulls(const uint2* position, int n, int first, uint2* chunk, float2 (*pulls)[OWN]) {
    // added to |r|^2, which is 0 for the body itself and at least 1 otherwise: too small to change its rounded value
    constexpr float TINY = 1e-9f;
    const int t = threadIdx.x, target = t % ACROSS, group = t / ACROSS;
    uint2 own[EACH];
    float ax[EACH] = {}, ay[EACH] = {};
#pragma unroll
    // a target past n is the last body; its sums are not used
    for (int e = 0; e < EACH; ++e) own[e] = position[min(first + e * ACROSS + target, n - 1)];
    for (int source = 0; source < n; source += CHUNK) {
        const int count = min(CHUNK, n - source);  // sources in this chunk, [1, CHUNK]
        // a fast warp must not overwrite the previous chunk, or the previous partial sums, while others still read them
        __syncthreads();
        for (int k = t; k < count; k += BLOCK) chunk[k] = position[source + k];
        // the chunk must be complete before any thread reads it
        __syncthreads();

#pragma unroll 4
        for (int k = group; k < count; k += GROUPS) {
            const uint2 other = chunk[k];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const float dx = (int)(other.x - own[e].x), dy = (int)(other.y - own[e].y);
                const float inverse = fast_rsqrt(dx * dx + (dy * dy + TINY));
                const float weight = inverse * inverse * inverse;
                ax[e] += weight * dx;
                ay[e] += weight * dy;
            }
        }
    }

#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const float2 pull = make_float2(lane_sum(ax[e], ACROSS), lane_sum(ay[e], ACROSS));
        if (t % WARP < ACROSS) pulls[t / WARP][e * ACROSS + target] = pull;
    }
    // each warp reads the partial sums of all warps
    __syncthreads();
}

// Adds up the partial sums of the block's targets, one target per warp, and moves the targets.
__device__ __forceinline__ void move(const uint2* position, uint2* new_position, float2* velocity, float2* acceleration,
                                     int n, float dt, int first, float2 (*pulls)[OWN]) {
    static_assert(WARPS == WARP && OWN == WARPS, "a warp has a target, and a lane a pull on it");
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const int i = first + warp;
    const float2 pull = pulls[lane][warp];
    // converts 1 / |r|^2 to units of the side
    const float ax = UNITS * UNITS * lane_sum(pull.x, 1), ay = UNITS * UNITS * lane_sum(pull.y, 1);
    if (lane == 0 && i < n) {
        const float2 v = velocity[i];
        const float2 faster = make_float2(v.x + ax * dt, v.y + ay * dt);
        const uint2 x = position[i];
        acceleration[i] = make_float2(ax, ay);
        velocity[i] = faster;
        new_position[i] = make_uint2(x.x + fraction(faster.x * dt), x.y + fraction(faster.y * dt));
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    periodicFused(const uint2* __restrict__ position, uint2* __restrict__ new_position, float2* velocity,
                  float2* acceleration, int n, float dt) {
    __shared__ uint2 chunk[CHUNK];
    __shared__ float2 pulls[WARPS][OWN];
    const int first = blockIdx.x * OWN;  // the block's first target
    if (first >= n) return;
    add_pulls(position, n, first, chunk, pulls);
    move(position, new_position, velocity, acceleration, n, dt, first, pulls);
}
