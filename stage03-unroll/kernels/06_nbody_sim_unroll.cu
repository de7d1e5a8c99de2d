// a_i = sum_j m_j r / (|r|^2 + epsilon_squared)^(3/2); x_i' = x_i + v_i dt + a_i dt^2 / 2; v_i' = v_i + a_i dt.
//
// shapes      inputs position, velocity and outputs new_position, new_velocity: (n) of float4, n >= 1; position.w is
//             the mass m; both w are copied. epsilon_squared >= 1e-25, which keeps its power -3/2 finite and the term
//             j = i zero.
// launch      a one-dimensional grid of at least ceil(n / block) blocks, any block size, with 16 * block bytes of
//             dynamic shared memory. n is arbitrary: sources past n have zero mass. Indices are 32-bit:
//             grid * block + n < 2^31.
// bottleneck  stage02's 06: a quarter of the instructions in the loop over a tile are loop overhead: count, increment
//             and branch. Counters: branches, warp_instructions.
// idea        unroll by four, as in the tutorial; a remainder loop handles block sizes that are not multiples of 4.
//             With neighboring sources in one iteration, the compiler also combines reads whose alignment it can prove:
//             those of x by fours and those of z by twos, but not those of y and m, which begin at odd multiples of the
//             block size.
// expected    tile read for four sources: 1 of 16 bytes, 2 of 8 and 8 of 4; 11 requests and 12 wavefronts instead of 16
//             and 16. Branches per warp per tile: a quarter. Everything else as in stage02's 06.

extern "C" __global__ void nbody_sim_unroll(const float4* __restrict__ position, const float4* __restrict__ velocity,
                                            float4* __restrict__ new_position, float4* __restrict__ new_velocity, int n,
                                            float dt, float epsilon_squared) {
    extern __shared__ float tiles[];  // four arrays of `block` floats
    const int block = blockDim.x;
    float* const tile_x = tiles;
    float* const tile_y = tile_x + block;
    float* const tile_z = tile_y + block;
    float* const tile_m = tile_z + block;
    const int t = threadIdx.x;             // [0, block)
    const int i = blockIdx.x * block + t;  // body, [0, grid * block)

    // a thread past n still loads and must reach the barriers; it recomputes the last body and stores nothing
    const float4 p = position[min(i, n - 1)];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int first = 0; first < n; first += block) {
        const float4 loaded = position[min(first + t, n - 1)];  // past n: the last body, with zero mass
        tile_x[t] = loaded.x;
        tile_y[t] = loaded.y;
        tile_z[t] = loaded.z;
        tile_m[t] = first + t < n ? loaded.w : 0.0f;
        // the tile must be complete before any thread reads it
        __syncthreads();

#pragma unroll 4
        for (int k = 0; k < block; ++k) {
            const float dx = tile_x[k] - p.x, dy = tile_y[k] - p.y, dz = tile_z[k] - p.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + epsilon_squared);
            const float weight = tile_m[k] * inverse * inverse * inverse;
            ax += weight * dx;
            ay += weight * dy;
            az += weight * dz;
        }
        // a fast warp must not overwrite the tile while slower warps still read it
        __syncthreads();
    }

    if (i < n) {
        const float4 v = velocity[i];
        const float half_square = 0.5f * dt * dt;
        new_position[i] = make_float4(p.x + v.x * dt + ax * half_square, p.y + v.y * dt + ay * half_square,
                                      p.z + v.z * dt + az * half_square, p.w);
        new_velocity[i] = make_float4(v.x + ax * dt, v.y + ay * dt, v.z + az * dt, v.w);
    }
}
