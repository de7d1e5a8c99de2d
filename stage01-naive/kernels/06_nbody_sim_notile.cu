// a_i = sum_j m_j r / (|r|^2 + epsilon_squared)^(3/2); x_i' = x_i + v_i dt + a_i dt^2 / 2; v_i' = v_i + a_i dt.
//
// shapes      inputs position, velocity and outputs new_position, new_velocity: (n) of float4, n >= 1; position.w is
//             the mass m; both w are copied. epsilon_squared >= 1e-25, which keeps its power -3/2 finite and the term
//             j = i zero.
// launch      a one-dimensional grid of at least ceil(n / block) blocks, any block size. n is arbitrary: threads past n
//             return. Indices are 32-bit: grid * block + n < 2^31.
// bottleneck  baseline. Each of n threads loads n positions: every warp loads every source from global memory. Counter:
//             global_load_requests.
// idea        double buffering: a step reads the old buffers and writes the new ones, so that forces and motion fit in
//             one launch. A source is one 16-byte load, where 01 needs four loads.
// expected    source load: all lanes at one address, 1 request of 1 sector. Own load or store: 1 request of 16 sectors.

extern "C" __global__ void nbody_sim_notile(const float4* __restrict__ position, const float4* __restrict__ velocity,
                                            float4* __restrict__ new_position, float4* __restrict__ new_velocity, int n,
                                            float dt, float epsilon_squared) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // body, [0, grid * block)
    if (i >= n) return;

    const float4 p = position[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j = 0; j < n; ++j) {
        const float4 source = position[j];
        const float dx = source.x - p.x, dy = source.y - p.y, dz = source.z - p.z;
        const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + epsilon_squared);
        const float weight = source.w * inverse * inverse * inverse;
        ax += weight * dx;
        ay += weight * dy;
        az += weight * dz;
    }

    const float4 v = velocity[i];
    const float half_square = 0.5f * dt * dt;
    new_position[i] = make_float4(p.x + v.x * dt + ax * half_square, p.y + v.y * dt + ay * half_square,
                                  p.z + v.z * dt + az * half_square, p.w);
    new_velocity[i] = make_float4(v.x + ax * dt, v.y + ay * dt, v.z + az * dt, v.w);
}
