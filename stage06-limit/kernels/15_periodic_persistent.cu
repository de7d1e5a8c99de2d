// Semi-implicit Euler steps in the unit square with periodic boundaries: a_i = sum over j != i of r / |r|^3, r = the
// displacement from x_i to the nearest image of x_j; v_i += a_i dt; x_i += v_i dt.
//
// shapes      even, odd: (n) of uint2, in units of 2^-32 of the square's side; even contains the initial positions, odd
//             the positions after each odd number of steps; velocity: (n) of float2, updated in place; acceleration:
//             (n) of float2, written; arrived: 0 before the launch; n >= 1
// launch      a cooperative launch: all blocks must be resident; a one-dimensional grid of any number of blocks,
//             block = 1024. n is arbitrary. Indices are 32-bit: 32 * grid + n < 2^31, and (steps + 1) * grid < 2^32.
// bottleneck  14: one launch per step. The device drains at the end of each launch and fills again at the beginning of
//             the next. No counter shows it; the time between launches does.
// idea        a persistent kernel: one launch for all steps, with a grid-wide barrier in place of the end of a launch.
//             Each block increments a counter and waits until all have done so, which requires that all blocks are
//             resident.
// expected    per step as in 14, and one atomic addition per block.

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

// Waits until every block of the grid has called this `round` times. Their earlier stores are then visible in L2.
__device__ __forceinline__ void grid_barrier(unsigned int* arrived, unsigned int round) {
    // all stores of the block precede its increment
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned int*)arrived < round * gridDim.x) {
        }
        __threadfence();
    }
    // the loads of the block follow the increments of all blocks
    __syncthreads();
}

// Computes one partial sum per warp of the acceleration of the block's targets, which begin at `first`. Positions are
// loaded from L2, which has the stores of other multiprocessors: L1 might contain stale values.
__device__ __forceinline__ void add_pulls(const uint2* position, int n, int first, uint2* chunk, float2 (*pulls)[OWN]) {
    // added to |r|^2, which is 0 for the body itself and at least 1 otherwise: too small to change its rounded value
    constexpr float TINY = 1e-9f;
    const int t = threadIdx.x, target = t % ACROSS, group = t / ACROSS;
    uint2 own[EACH];
    float ax[EACH] = {}, ay[EACH] = {};
#pragma unroll
    // a target past n is the last body; its sums are not used
    for (int e = 0; e < EACH; ++e) own[e] = __ldcg(position + min(first + e * ACROSS + target, n - 1));
    for (int source = 0; source < n; source += CHUNK) {
        const int count = min(CHUNK, n - source);  // sources in this chunk, [1, CHUNK]
        // a fast warp must not overwrite the previous chunk, or the previous partial sums, while others still read them
        __syncthreads();
        for (int k = t; k < count; k += BLOCK) chunk[k] = __ldcg(position + source + k);
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
        const uint2 x = __ldcg(position + i);
        acceleration[i] = make_float2(ax, ay);
        velocity[i] = faster;
        new_position[i] = make_uint2(x.x + fraction(faster.x * dt), x.y + fraction(faster.y * dt));
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    periodicPersistent(uint2* even, uint2* odd, float2* velocity, float2* acceleration, unsigned int* arrived, int n,
                       float dt, int steps) {
    __shared__ uint2 chunk[CHUNK];
    __shared__ float2 pulls[WARPS][OWN];
    for (int step = 0; step < steps; ++step) {
        const uint2* const position = step % 2 == 0 ? even : odd;
        uint2* const new_position = step % 2 == 0 ? odd : even;
        for (int first = blockIdx.x * OWN; first < n; first += gridDim.x * OWN) {
            add_pulls(position, n, first, chunk, pulls);
            move(position, new_position, velocity, acceleration, n, dt, first, pulls);
        }
        grid_barrier(arrived, step + 1);
    }
}
