// v_i += a_i dt, then x_i += v_i dt: one semi-implicit Euler step in the unit square with periodic boundaries.
//
// shapes      position: (n) of uint2, in units of 2^-32 of the square's side; velocity and acceleration: (n) of float2,
//             n >= 1; position and velocity are updated in place
// launch      a one-dimensional grid of at least ceil(n / block) blocks, any block size. n is arbitrary: threads past n
//             return. Indices are 32-bit: grid * block + n < 2^31.
// bottleneck  11: wrapping a coordinate into the square takes floorf and a comparison. Counter: warp_instructions.
// idea        fixed-point coordinates, as in 12: integer addition wraps around by itself.
// expected    memory accesses as in 11.

// Returns a path in units of 2^-32 of the side, modulo the side. The path must be shorter than 2^31 sides.
__device__ __forceinline__ unsigned int fraction(float path) {
    constexpr float UNITS = 4294967296.0f;
    return (unsigned int)__float2ll_rn(UNITS * path);
}

extern "C" __global__ void periodicFractionsIntegrate(uint2* position, float2* velocity,
                                                      const float2* __restrict__ acceleration, int n, float dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // body, [0, grid * block)
    if (i >= n) return;

    const float2 a = acceleration[i], v = velocity[i];
    const uint2 x = position[i];
    const float2 faster = make_float2(v.x + a.x * dt, v.y + a.y * dt);
    velocity[i] = faster;
    position[i] = make_uint2(x.x + fraction(faster.x * dt), x.y + fraction(faster.y * dt));
}
