// a_i = sum over j != i of r / |r|^3, r = the displacement from x_i to the nearest image of x_j in the unit square.
//
// shapes      position: (n) of float2 in [0, 1), n >= 1; acceleration: (n) of float2, written
// launch      a one-dimensional grid of at least ceil(n / 256) blocks, block = 256. n need not be a multiple of 256 or
//             of the chunk, 1024. Indices are 32-bit: grid * 256 + n < 2^31. There is no softening: two bodies at the
//             same position give no finite result.
// bottleneck  stage02's 04: accesses are uncoalesced. A position is 8 of the 24 bytes of a record, and every sector of
//             the records is fetched. Counter: global_load_sectors over global_load_requests.
// idea        a structure of arrays: positions have an array to themselves, so that neighboring lanes load neighboring
//             words.
// expected    copy: one request of 8 sectors per warp instead of two of 24.

// Returns the image in [-0.5, 0.5] of displacement d, d in (-1, 1).
__device__ __forceinline__ float nearest_image(float d) {
    const float box = d > 0.5f ? 1.0f : d < -0.5f ? -1.0f : 0.0f;
    return d - box;
}

extern "C" __global__ void __launch_bounds__(256)
    periodicArrays(const float2* __restrict__ position, float2* __restrict__ acceleration, int n) {
    constexpr int BLOCK = 256;
    constexpr int EACH = 4;  // positions copied per thread
    constexpr int CHUNK = BLOCK * EACH;
    __shared__ float2 chunk[CHUNK];
    const int t = threadIdx.x;             // [0, BLOCK)
    const int i = blockIdx.x * BLOCK + t;  // target, [0, grid * BLOCK)

    // a thread past n still copies and must reach the barriers; it recomputes the last body and stores nothing
    const float2 own = position[min(i, n - 1)];
    float ax = 0.0f, ay = 0.0f;
    for (int first = 0; first < n; first += CHUNK) {
        const int count = min(CHUNK, n - first);  // positions in this chunk, [1, CHUNK]
        for (int k = t; k < count; k += BLOCK) chunk[k] = position[first + k];
        // the chunk must be complete before any thread reads it
        __syncthreads();

        for (int k = 0; k < count; ++k) {
            const float dx = nearest_image(chunk[k].x - own.x);
            const float dy = nearest_image(chunk[k].y - own.y);
            const float inverse = rsqrtf(dx * dx + dy * dy);
            // a selection, not a branch: for a branch the compiler splits the loop at the thread's own body
            const float weight = first + k == i ? 0.0f : inverse * inverse * inverse;
            ax += weight * dx;
            ay += weight * dy;
        }
        // a fast warp must not overwrite the chunk while slower warps still read it
        __syncthreads();
    }
    if (i < n) acceleration[i] = make_float2(ax, ay);
}
