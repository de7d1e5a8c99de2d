// x_i += v_i dt + a_i dt^2 / 2; v_i += a_i dt; a_i = 0.
//
// shapes      position, velocity: (n) of float4, n >= 1; both w are kept; pulls: (3, n), one row per component
// launch      a one-dimensional grid of at least ceil(n / block) blocks, any block size. n is arbitrary: threads past n
//             return. Indices are 32-bit: 3 * n < 2^31.
// bottleneck  stage01's 06 computes forces and motion in one launch, in which one thread reads all sources of its body.
//             Here the blocks of 01 have slices of the sources, and bodies move when all have been added.
// idea        a rank moves only its own bodies, and resets their sums to zero for the next step.
// expected    per warp 5 loads and 5 stores.

extern "C" __global__ void move_bodies(float4* __restrict__ position, float4* __restrict__ velocity,
                                       float* __restrict__ pulls, int n, float dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // body, [0, grid * block)
    if (i >= n) return;

    const float4 p = position[i], v = velocity[i];
    const float ax = pulls[i], ay = pulls[n + i], az = pulls[2 * n + i];
    const float half_square = 0.5f * dt * dt;
    position[i] = make_float4(p.x + v.x * dt + ax * half_square, p.y + v.y * dt + ay * half_square,
                              p.z + v.z * dt + az * half_square, p.w);
    velocity[i] = make_float4(v.x + ax * dt, v.y + ay * dt, v.z + az * dt, v.w);
    pulls[i] = pulls[n + i] = pulls[2 * n + i] = 0.0f;
}
