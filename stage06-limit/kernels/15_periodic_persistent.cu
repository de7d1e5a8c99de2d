// Semi-implicit Euler steps in the unit square, whose edges meet: a_i = sum over j != i of r / |r|^3, r = the
// displacement from x_i to the nearest image of x_j; v_i += a_i dt; x_i += v_i dt.
//
// shapes    even, odd: (n) of uint2, in units of 2^-32 of the square's side; even has the positions, and after each odd
//           number of steps odd has them; velocity: (n) of float2, updated in place; acceleration: (n) of float2,
//           written; arrived: 0 before the launch; n >= 1
// launch    a cooperative launch: all blocks must be resident; one row of any number of blocks, block = 1024; nothing
//           must divide n. Indices are 32-bit: 32 * grid + n < 2^31, and (steps + 1) * grid < 2^32.
// cost      14: a launch per step. The chip is empty at the end of each, and the next must start from nothing. No counter
//           shows it; the time between launches does.
// idea      one launch for all steps. A barrier of the whole grid stands where a launch ended: each block counts itself in
//           and waits until all have, which only resident blocks can do.
// expected  per step as in 14, and one atomic count per block.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int BLOCK = 1024;
constexpr int WARPS = BLOCK / WARP;
constexpr int EACH = 4;                 // targets of a thread
constexpr int ACROSS = 8;               // lanes with different targets
constexpr int OWN = EACH * ACROSS;      // targets of a block
constexpr int GROUPS = BLOCK / ACROSS;  // groups of lanes with different sources
constexpr int CHUNK = 4096;             // sources in shared memory at a time
constexpr float UNITS = 4294967296.0f;  // 2^32 of them are the side

// 1 / sqrt(x) to within 2^-22.9, as rsqrtf gives it; a subnormal x counts as 0.
__device__ __forceinline__ float fast_rsqrt(float x) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

// A path as a multiple of 2^-32 of the side. Whole sides fall away: a path is less than 2^31 of them.
__device__ __forceinline__ unsigned int fraction(float path) {
    return (unsigned int)__float2ll_rn(UNITS * path);
}

// The sum over every `apart`th lane, in all of them.
__device__ __forceinline__ float lane_sum(float value, int apart) {
    for (int mask = apart; mask < WARP; mask *= 2) value += __shfl_xor_sync(ALL_LANES, value, mask);
    return value;
}

// Waits until every block of the grid has come here `round` times. What they have stored before is then to be seen in L2.
__device__ __forceinline__ void grid_barrier(unsigned int* arrived, unsigned int round) {
    // the block's stores before its count
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned int*)arrived < round * gridDim.x) {
        }
        __threadfence();
    }
    // the count of all before the block's loads
    __syncthreads();
}

// The pull on the block's targets from `first` on, by warps: what the sources of each warp's groups contribute. Positions
// come from L2, where other multiprocessors have stored them: an L1 might keep older ones.
__device__ __forceinline__ void add_pulls(const uint2* position, int n, int first, uint2* chunk, float2 (*pulls)[OWN]) {
    // added to |r|^2, which is 0 for the body itself and otherwise at least 1: too small to change it by a bit
    constexpr float TINY = 1e-9f;
    const int t = threadIdx.x, target = t % ACROSS, group = t / ACROSS;
    uint2 own[EACH];
    float ax[EACH] = {}, ay[EACH] = {};
#pragma unroll
    // a target past n is the last body again, whose sums are not used
    for (int e = 0; e < EACH; ++e) own[e] = __ldcg(position + min(first + e * ACROSS + target, n - 1));
    for (int source = 0; source < n; source += CHUNK) {
        const int count = min(CHUNK, n - source);  // sources in this chunk, [1, CHUNK]
        // no thread still reads the chunk before, or the pulls of the targets before
        __syncthreads();
        for (int k = t; k < count; k += BLOCK) chunk[k] = __ldcg(position + source + k);
        // all threads read what each has copied
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
    // each warp reads what all have stored
    __syncthreads();
}

// Sums the pulls on the block's targets, a target per warp, and moves them.
__device__ __forceinline__ void move(const uint2* position, uint2* new_position, float2* velocity, float2* acceleration,
                                     int n, float dt, int first, float2 (*pulls)[OWN]) {
    static_assert(WARPS == WARP && OWN == WARPS, "a warp has a target, and a lane a pull on it");
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const int i = first + warp;
    const float2 pull = pulls[lane][warp];
    // 1 / |r|^2 in units of the side
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
