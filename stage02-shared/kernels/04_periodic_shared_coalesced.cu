// a_i = sum over j != i of r / |r|^3, r = the displacement from x_i to the nearest image of x_j in the unit square.
//
// shapes      bodies: (n, 6), records (x, y, vx, vy, ax, ay), n >= 1; x and y in [0, 1); ax and ay are written
// launch      a one-dimensional grid of at least ceil(n / 256) blocks, block = 256. n need not be a multiple of 256 or
//             of the chunk, 1024. Indices are 32-bit: grid * 256 + n < 2^31. There is no softening: two bodies at the
//             same position give no finite result.
// bottleneck  03: each thread copies consecutive records, so that neighboring lanes are far apart in both memories: the
//             loads are uncoalesced and the shared stores have bank conflicts. Counters: global_load_sectors over
//             global_load_requests, shared_store_conflicts.
// idea        neighboring threads copy neighboring records: thread t copies t, t + 256, t + 512 and t + 768.
// expected    copy: lanes 24 bytes apart, 1 request of 24 sectors; only a layout that separates the positions from the
//             other four floats of a record would reach 4. Shared store: lanes on neighboring banks, 1 wavefront.
//             Shared load: 1 wavefront.

enum Field { X, Y, VX, VY, AX, AY, RECORD };  // the fields of a record, and their number

// Returns the image in [-0.5, 0.5] of displacement d, d in (-1, 1).
__device__ __forceinline__ float nearest_image(float d) {
    const float box = d > 0.5f ? 1.0f : d < -0.5f ? -1.0f : 0.0f;
    return d - box;
}

// No __restrict__: threads write ax and ay to the array whose x and y others read. The words differ, so no race.
extern "C" __global__ void __launch_bounds__(256) periodicSharedCoalesced(float* bodies, int n) {
    constexpr int BLOCK = 256;
    constexpr int EACH = 4;  // positions copied per thread
    constexpr int CHUNK = BLOCK * EACH;
    __shared__ float chunk_x[CHUNK], chunk_y[CHUNK];
    const int t = threadIdx.x;             // [0, BLOCK)
    const int i = blockIdx.x * BLOCK + t;  // target, [0, grid * BLOCK)
    // a thread past n still copies and must reach the barriers; it recomputes the last body and stores nothing
    float* const own = bodies + (size_t)min(i, n - 1) * RECORD;

    const float xi = own[X], yi = own[Y];
    float ax = 0.0f, ay = 0.0f;
    for (int first = 0; first < n; first += CHUNK) {
        const int count = min(CHUNK, n - first);  // positions in this chunk, [1, CHUNK]
#pragma unroll
        for (int each = 0; each < EACH; ++each) {
            const int k = each * BLOCK + t;
            if (k < count) {
                const float* const record = bodies + (size_t)(first + k) * RECORD;
                chunk_x[k] = record[X];
                chunk_y[k] = record[Y];
            }
        }
        // the chunk must be complete before any thread reads it
        __syncthreads();

        for (int k = 0; k < count; ++k) {
            const float dx = nearest_image(chunk_x[k] - xi);
            const float dy = nearest_image(chunk_y[k] - yi);
            const float inverse = rsqrtf(dx * dx + dy * dy);
            // a selection, not a branch: for a branch the compiler splits the loop at the thread's own body
            const float weight = first + k == i ? 0.0f : inverse * inverse * inverse;
            ax += weight * dx;
            ay += weight * dy;
        }
        // a fast warp must not overwrite the chunk while slower warps still read it
        __syncthreads();
    }

    if (i < n) {
        own[AX] = ax;
        own[AY] = ay;
    }
}
