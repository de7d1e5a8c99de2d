// v_i += a_i dt, then x_i += v_i dt, then x_i wrapped into [0, 1): one semi-implicit Euler step in the unit square.
//
// shapes    bodies: (n, 6), rows (x, y, vx, vy, ax, ay), n >= 1; x, y, vx and vy are updated in place
// launch    one row of ceil(n / block) blocks or more, any block; nothing must divide n: threads past n return.
//           Indices are 32-bit: grid * block + n < 2^31.
// cost      interleaved records: the 128 bytes that a warp loads are spread over 768. Counter: global_load_sectors over
//           global_load_requests, 6 times the least possible.
// idea      a launch of its own: the end of a launch is the barrier for the whole grid that a step needs, since no body
//           may move while another still sums its pull.
// expected  each of the six loads and four stores: 1 request of 24 sectors.

enum Field { X, Y, VX, VY, AX, AY, RECORD };  // the floats of a body, and their number

// The image of x, any finite value, that lies in [0, 1).
__device__ __forceinline__ float wrap(float x) {
    const float fraction = x - floorf(x);
    // a tiny negative x rounds up to 1, which is the image of 0
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
