// a_i = sum over j != i of r / |r|^3, r = the displacement from x_i to the nearest image of x_j in the unit square.
//
// shapes      bodies: (n, 6), records (x, y, vx, vy, ax, ay), n >= 1; x and y in [0, 1); ax and ay are written
// launch      a one-dimensional grid of at least ceil(n / block) blocks; block a power of two in [32, 1024], which the
//             host checks. n is arbitrary. Indices are 32-bit: grid * block + n < 2^31. There is no softening: two
//             bodies at the same position give no finite result.
// bottleneck  stage02's 04: positions reach the warps through shared memory, and all warps of a block synchronize twice
//             per chunk. Counters: barriers, shared_load_requests.
// idea        a warp-wide chunk: each lane keeps one of 32 positions in registers, and shuffles broadcast them to the
//             warp. There is no shared memory, no barrier and no chunk size to choose.
// expected    position load: lanes 24 bytes apart, 24 sectors for x and 24 for y per 32 positions, now by each warp of
//             a block. Shuffles: 2 per position per warp, as many as the shared-memory reads that they replace.
// measured    on an H200 slower than shared chunks: there are more instructions, since each value takes a shuffle whereas
//             one 16-byte read delivers four, and each waits longer, with two warps per scheduler to hide it.

enum Field { X, Y, VX, VY, AX, AY, RECORD };  // the fields of a record, and their number

// Returns the image in [-0.5, 0.5] of displacement d, d in (-1, 1).
__device__ __forceinline__ float nearest_image(float d) {
    const float box = d > 0.5f ? 1.0f : d < -0.5f ? -1.0f : 0.0f;
    return d - box;
}

// No __restrict__: threads write ax and ay to the array whose x and y others read. The words differ, so no race.
extern "C" __global__ void periodicShuffle(float* bodies, int n) {
    constexpr int WARP = 32;
    constexpr unsigned int ALL_LANES = 0xffffffff;
    const int lane = threadIdx.x % WARP;                  // [0, WARP)
    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // target, [0, grid * block)
    // a lane past n still supplies positions to the others; it recomputes the last body and stores nothing
    float* const own = bodies + (size_t)min(i, n - 1) * RECORD;

    const float xi = own[X], yi = own[Y];
    float ax = 0.0f, ay = 0.0f;
    for (int first = 0; first < n; first += WARP) {
        const int count = min(WARP, n - first);  // positions in this iteration, [1, WARP], equal in all lanes
        const float* const held = bodies + (size_t)min(first + lane, n - 1) * RECORD;
        const float held_x = held[X], held_y = held[Y];

        for (int k = 0; k < count; ++k) {
            const float dx = nearest_image(__shfl_sync(ALL_LANES, held_x, k) - xi);
            const float dy = nearest_image(__shfl_sync(ALL_LANES, held_y, k) - yi);
            const float inverse = rsqrtf(dx * dx + dy * dy);
            // a selection, not a branch: for a branch the compiler splits the loop at the thread's own body
            const float weight = first + k == i ? 0.0f : inverse * inverse * inverse;
            ax += weight * dx;
            ay += weight * dy;
        }
    }

    if (i < n) {
        own[AX] = ax;
        own[AY] = ay;
    }
}
