// a_i = sum over j != i of r / |r|^3, r = the displacement from x_i to the nearest image of x_j in the unit square.
//
// shapes      bodies: (n, 6), records (x, y, vx, vy, ax, ay), n >= 1; x and y in [0, 1); ax and ay are written
// launch      a one-dimensional grid of at least ceil(n / block) blocks, any block size. n is arbitrary: threads past n
//             return. Indices are 32-bit: grid * block + n < 2^31. There is no softening: two bodies at the same
//             position give no finite result.
// bottleneck  baseline. Every warp loads every position from global memory, and the records of neighboring threads are
//             24 bytes apart, so that accesses to a thread's own record are uncoalesced. Counters:
//             global_load_requests, and global_store_sectors over global_store_requests.
// idea        one thread per body, in single precision throughout: the tutorial's displacement function returns double,
//             which promotes everything computed from it.
// expected    x_j, y_j: all lanes at one address, 1 request of 1 sector. Own fields: 1 request of 24 sectors instead of
//             4.

enum Field { X, Y, VX, VY, AX, AY, RECORD };  // the fields of a record, and their number

// Returns the image in [-0.5, 0.5] of displacement d, d in (-1, 1).
__device__ __forceinline__ float nearest_image(float d) {
    const float box = d > 0.5f ? 1.0f : d < -0.5f ? -1.0f : 0.0f;
    return d - box;
}

// No __restrict__: threads write ax and ay to the array whose x and y others read. The words differ, so no race.
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
        // a selection, not a branch: for a branch the compiler splits the loop at j = i, after which the lanes of
        // a warp load different j, and 1 sector per load becomes 24
        const float weight = j == i ? 0.0f : inverse * inverse * inverse;
        ax += weight * dx;
        ay += weight * dy;
    }

    own[AX] = ax;
    own[AY] = ay;
}
