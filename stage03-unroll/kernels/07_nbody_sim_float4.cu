// a_i = sum_j m_j r / (|r|^2 + epsilon_squared)^(3/2); x_i' = x_i + v_i dt + a_i dt^2 / 2; v_i' = v_i + a_i dt.
//
// shapes    position, velocity in and new_position, new_velocity out: (n) of float4, n >= 1; position.w = mass m;
//           both w are copied. epsilon_squared >= 1e-25, so that its power -3/2 is finite and the term j = i is zero.
// launch    one row of ceil(n / block) blocks or more, any block, 16 * block bytes of dynamic shared memory; nothing
//           must divide n: sources past n have no mass. Indices are 32-bit: grid * block + n < 2^31.
// cost      06: the compiler makes wide reads of shared memory for two of the four arrays, whose alignment happens
//           to be known. Counters: shared_load_requests, shared_load_wavefronts.
// idea      vectors, as in the tutorial. A source is one float4 in the tile and one load of 16 bytes by design. Written
//           with vectors the arithmetic reads better, but on NVIDIA it is still one instruction per component;
//           the tutorial's AMD units worked on several components at once.
// expected  tile read for four sources: 4 of 16 bytes, all lanes at one address: 4 requests of 2 wavefronts. Tile
//           store: 1 request of 4 wavefronts, the least for 512 bytes. Arithmetic and branches as in 06.
// measured  on an H200 slower than nbody_sim_unroll, although it counts fewer passes and instructions.

__device__ __forceinline__ float3 xyz(float4 a) {
    return make_float3(a.x, a.y, a.z);
}
__device__ __forceinline__ float3 operator+(float3 a, float3 b) {
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
__device__ __forceinline__ float3 operator-(float3 a, float3 b) {
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
__device__ __forceinline__ float3 operator*(float a, float3 b) {
    return make_float3(a * b.x, a * b.y, a * b.z);
}
__device__ __forceinline__ float dot(float3 a, float3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

extern "C" __global__ void nbody_sim_float4(const float4* __restrict__ position, const float4* __restrict__ velocity,
                                            float4* __restrict__ new_position, float4* __restrict__ new_velocity, int n,
                                            float dt, float epsilon_squared) {
    extern __shared__ float4 tile[];  // (block)
    const int block = blockDim.x;
    const int t = threadIdx.x;             // [0, block)
    const int i = blockIdx.x * block + t;  // body, [0, grid * block)

    // a thread past n loads and reaches the barriers like the others; it moves the last body and stores nothing
    const float4 p = position[min(i, n - 1)];
    float3 a = make_float3(0.0f, 0.0f, 0.0f);
    for (int first = 0; first < n; first += block) {
        float4 loaded = position[min(first + t, n - 1)];  // past n: the last body again, without its mass
        if (first + t >= n) loaded.w = 0.0f;
        tile[t] = loaded;
        // all threads read what each has stored
        __syncthreads();

#pragma unroll 4
        for (int k = 0; k < block; ++k) {
            const float4 source = tile[k];
            const float3 r = xyz(source) - xyz(p);
            const float inverse = rsqrtf(dot(r, r) + epsilon_squared);
            const float weight = source.w * inverse * inverse * inverse;
            a = a + weight * r;
        }
        // a warp ahead of others would store the next tile over sources that they still read
        __syncthreads();
    }

    if (i < n) {
        const float4 v = velocity[i];
        const float3 moved = xyz(p) + dt * xyz(v) + (0.5f * dt * dt) * a;
        const float3 faster = xyz(v) + dt * a;
        new_position[i] = make_float4(moved.x, moved.y, moved.z, p.w);
        new_velocity[i] = make_float4(faster.x, faster.y, faster.z, v.w);
    }
}
