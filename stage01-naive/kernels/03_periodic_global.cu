// a_i = sum over j != i of r / |r|^3, r = the displacement from x_i to the nearest image of x_j in the unit square.
//
// shapes    bodies: (n, 6), rows (x, y, vx, vy, ax, ay), n >= 1; x and y in [0, 1); ax and ay are written
// launch    one row of ceil(n / block) blocks or more, any block; nothing must divide n: threads past n return.
//           Indices are 32-bit: grid * block + n < 2^31. No softening: two bodies at one place give no finite answer.
// cost      every warp reads every position itself, and a thread's own record lies 24 bytes from its neighbor's.
//           Counters: global_load_requests, and global_store_sectors over global_store_requests.
// idea      one thread per body. All fp32: the tutorial's displacement returns double and promotes what follows.
// expected  x_j, y_j: all lanes at one address, 1 request of 1 sector. Own words: 1 request of 24 sectors, not 4.

enum Field { X, Y, VX, VY, AX, AY, RECORD };  // the floats of a body, and their number

// The image of displacement d, d in (-1, 1), that lies in [-0.5, 0.5].
__device__ __forceinline__ float nearest_image(float d) {
    const float box = d > 0.5f ? 1.0f : d < -0.5f ? -1.0f : 0.0f;
    return d - box;
}

// No __restrict__: threads write ax and ay into the array whose x and y others read. The words differ: no race.
extern "C" __global__ void periodicGlobal(float* bodies, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // target, [0, grid * block)
    if (i >= n) return;

    float* const own = bodies + (size_t)i * RECORD;
    const float xi = own[X], yi = own[Y];
    float ax = 0.0f, ay = 0.0f;
    const float* source = bodies;
    for (int j = 0; j < n; ++j, source += RECORD) {
        const float dx = nearest_image(source[X] - xi);
        const float dy = nearest_image(source[Y] - yi);
        const float inverse = rsqrtf(dx * dx + dy * dy);
        // selected, not branched around: for a branch the compiler splits the loop at j = i, so that the lanes of
        // a warp read at different j, and one sector per load becomes 24
        const float weight = j == i ? 0.0f : inverse * inverse * inverse;
        ax += weight * dx;
        ay += weight * dy;
    }

    own[AX] = ax;
    own[AY] = ay;
}
