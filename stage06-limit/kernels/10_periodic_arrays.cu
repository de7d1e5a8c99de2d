// a_i = sum over j != i of r / |r|^3, r = the displacement from x_i to the nearest image of x_j in the unit square.
//
// shapes    position: (n) of float2 in [0, 1), n >= 1; acceleration: (n) of float2, written
// launch    one row of ceil(n / 256) blocks or more, block = 256; neither 256 nor 1024, the chunk, need divide n.
//           Indices are 32-bit: grid * 256 + n < 2^31. No softening: two bodies at one place give no finite answer.
// cost      stage02's 04: a position is 8 of the 24 bytes of a record, and every sector of the records is fetched.
//           Counter: global_load_sectors over global_load_requests.
// idea      a structure of arrays: positions lie by themselves, so that neighboring lanes load neighboring words.
// expected  copy: one request of 8 sectors per warp in place of two of 24.

// The image of displacement d, d in (-1, 1), that lies in [-0.5, 0.5].
__device__ __forceinline__ float nearest_image(float d) {
    const float box = d > 0.5f ? 1.0f : d < -0.5f ? -1.0f : 0.0f;
    return d - box;
}

extern "C" __global__ void __launch_bounds__(256)
    periodicArrays(const float2* __restrict__ position, float2* __restrict__ acceleration, int n) {
    constexpr int BLOCK = 256;
    constexpr int EACH = 4;  // positions that a thread copies
    constexpr int CHUNK = BLOCK * EACH;
    __shared__ float2 chunk[CHUNK];
    const int t = threadIdx.x;             // [0, BLOCK)
    const int i = blockIdx.x * BLOCK + t;  // target, [0, grid * BLOCK)

    // a thread past n copies and reaches the barriers like the others; it sums for the last body and stores nothing
    const float2 own = position[min(i, n - 1)];
    float ax = 0.0f, ay = 0.0f;
    for (int first = 0; first < n; first += CHUNK) {
        const int count = min(CHUNK, n - first);  // positions in this chunk, [1, CHUNK]
        for (int k = t; k < count; k += BLOCK) chunk[k] = position[first + k];
        // all threads read what each has copied
        __syncthreads();

        for (int k = 0; k < count; ++k) {
            const float dx = nearest_image(chunk[k].x - own.x);
            const float dy = nearest_image(chunk[k].y - own.y);
            const float inverse = rsqrtf(dx * dx + dy * dy);
            // selected, not branched around: for a branch the compiler splits the loop at the thread's own body
            const float weight = first + k == i ? 0.0f : inverse * inverse * inverse;
            ax += weight * dx;
            ay += weight * dy;
        }
        // a warp ahead of others would copy the next chunk over positions that they still read
        __syncthreads();
    }
    if (i < n) acceleration[i] = make_float2(ax, ay);
}
