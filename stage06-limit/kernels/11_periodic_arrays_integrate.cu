// v_i += a_i dt, then x_i += v_i dt, then x_i wrapped into [0, 1): one semi-implicit Euler step in the unit square.
//
// shapes      position, velocity and acceleration: (n) of float2, n >= 1; position and velocity are updated in place
// launch      a one-dimensional grid of at least ceil(n / block) blocks, any block size. n is arbitrary: threads past n
//             return. Indices are 32-bit: grid * block + n < 2^31.
// bottleneck  stage01's 04: uncoalesced accesses to records of 24 bytes, of whose sectors each access uses 4 bytes per
//             lane. Counter: global_load_sectors over global_load_requests.
// idea        a structure of arrays, as in 10.
// expected    three loads and two stores, each of 8 sectors per request, the minimum for 256 bytes.

// Returns the image in [0, 1) of x, any finite value.
__device__ __forceinline__ float wrap(float x) {
    const float fraction = x - floorf(x);
    // for a tiny negative x the difference rounds to 1, which is the image of 0
    return fraction < 1.0f ? fraction : fraction - 1.0f;
}

extern "C" __global__ void periodicArraysIntegrate(float2* position, float2* velocity,
                                                   const float2* __restrict__ acceleration, int n, float dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // body, [0, grid * block)
    if (i >= n) return;

    const float2 a = acceleration[i], v = velocity[i], x = position[i];
    const float2 faster = make_float2(v.x + a.x * dt, v.y + a.y * dt);
    velocity[i] = faster;
    position[i] = make_float2(wrap(x.x + faster.x * dt), wrap(x.y + faster.y * dt));
}
