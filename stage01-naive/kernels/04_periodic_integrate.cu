// v_i += a_i dt, then x_i += v_i dt, then x_i wrapped into [0, 1): one semi-implicit Euler step in the unit square.
//
// shapes      bodies: (n, 6), records (x, y, vx, vy, ax, ay), n >= 1; x, y, vx and vy are updated in place
// launch      a one-dimensional grid of at least ceil(n / block) blocks, any block size. n is arbitrary: threads past n
//             return. Indices are 32-bit: grid * block + n < 2^31.
// bottleneck  interleaved records make every access uncoalesced: the 128 bytes that a warp loads are spread over 768, 6
//             times the minimum traffic. Counter: global_load_sectors over global_load_requests.
// idea        a separate kernel: the end of a launch is the grid-wide barrier that a step needs, since no body may move
//             while another still sums the acceleration that it causes.
// expected    each of the six loads and four stores: 1 request of 24 sectors.

enum Field { X, Y, VX, VY, AX, AY, RECORD };  // the fields of a record, and their number

// Returns the image in [0, 1) of x, any finite value.
__device__ __forceinline__ float wrap(float x) {
    const float fraction = x - floorf(x);
    // for a tiny negative x the difference rounds to 1, which is the image of 0
    return fraction < 1.0f ? fraction : fraction - 1.0f;
}

extern "C" __global__ void periodicIntegrate(float* bodies, int n, float dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // body, [0, grid * block)
    if (i >= n) return;

    float* const own = bodies + (size_t)i * RECORD;
    const float vx = own[VX] + own[AX] * dt;
    const float vy = own[VY] + own[AY] * dt;
    own[VX] = vx;
    own[VY] = vy;
    own[X] = wrap(own[X] + vx * dt);
    own[Y] = wrap(own[Y] + vy * dt);
}
