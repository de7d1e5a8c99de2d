// a_i = sum_j m_j r / (|r|^2 + epsilon_squared)^(3/2); x_i' = x_i + v_i dt + a_i dt^2 / 2; v_i' = v_i + a_i dt.
//
// shapes    position, velocity in and new_position, new_velocity out: (n) of float4, n >= 1; position.w = mass m;
//           both w are copied. epsilon_squared >= 1e-25, so that its power -3/2 is finite and the term j = i is zero.
// launch    one row of ceil(n / block) blocks or more, any block, 16 * block bytes of dynamic shared memory; nothing
//           must divide n: sources past n have no mass. Indices are 32-bit: grid * block + n < 2^31.
// cost      stage02's 06: of the instructions of the loop over a tile, a quarter count, step and branch. Counters:
//           branches, warp_instructions.
// idea      four sources per round, as in the tutorial; a remainder loop serves blocks that 4 does not divide. Now that
//           neighbors are read side by side, the compiler joins reads where it can prove the alignment: those of
//           x by fours and of z by twos, but not those of y and m, which begin at odd multiples of block.
// expected  tile read for four sources: 1 of 16 bytes, 2 of 8 and 8 of 4; 11 requests and 12 wavefronts in place of
//           16 and 16. Branches per warp per tile: a quarter. The rest as in stage02's 06.

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

    // a thread past n loads and reaches the barriers like the others; it moves the last body and stores nothing
    const float4 p = position[min(i, n - 1)];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int first = 0; first < n; first += block) {
        const float4 loaded = position[min(first + t, n - 1)];  // past n: the last body again, without its mass
        tile_x[t] = loaded.x;
        tile_y[t] = loaded.y;
        tile_z[t] = loaded.z;
        tile_m[t] = first + t < n ? loaded.w : 0.0f;
        // all threads read what each has stored
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
        // a warp ahead of others would store the next tile over sources that they still read
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
