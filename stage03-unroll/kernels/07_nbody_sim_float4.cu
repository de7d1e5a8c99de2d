// a_i = sum_j m_j r / (|r|^2 + epsilon_squared)^(3/2); x_i' = x_i + v_i dt + a_i dt^2 / 2; v_i' = v_i + a_i dt.
//
// shapes      inputs position, velocity and outputs new_position, new_velocity: (n) of float4, n >= 1; position.w is
//             the mass m; both w are copied. epsilon_squared >= 1e-25, which keeps its power -3/2 finite and the term
//             j = i zero.
// launch      a one-dimensional grid of at least ceil(n / block) blocks, any block size, with 16 * block bytes of
//             dynamic shared memory. n is arbitrary: sources past n have zero mass. Indices are 32-bit:
//             grid * block + n < 2^31.
// bottleneck  06: the compiler vectorizes the shared-memory reads of only two of the four arrays, those whose alignment
//             it can prove. Counters: shared_load_requests, shared_load_wavefronts.
// idea        vector types, as in the tutorial. A source is one float4 in the tile and therefore always one 16-byte
//             load. Vector notation makes the arithmetic easier to read, but on NVIDIA GPUs it remains one instruction
//             per component; the tutorial's AMD units operated on several components at once.
// expected    tile read for four sources: 4 of 16 bytes, all lanes at one address: 4 requests of 2 wavefronts. Tile
//             store: 1 request of 4 wavefronts, the minimum for 512 bytes. Arithmetic and branches as in 06.
// measured    on an H200 slower than nbody_sim_unroll, although it needs fewer wavefronts and instructions.

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

    // a thread past n still loads and must reach the barriers; it recomputes the last body and stores nothing
    const float4 p = position[min(i, n - 1)];
    float3 a = make_float3(0.0f, 0.0f, 0.0f);
    for (int first = 0; first < n; first += block) {
        float4 loaded = position[min(first + t, n - 1)];  // past n: the last body, with zero mass
        if (first + t >= n) loaded.w = 0.0f;
        tile[t] = loaded;
        // the tile must be complete before any thread reads it
        __syncthreads();

#pragma unroll 4
        for (int k = 0; k < block; ++k) {
            const float4 source = tile[k];
            const float3 r = xyz(source) - xyz(p);
            const float inverse = rsqrtf(dot(r, r) + epsilon_squared);
            const float weight = source.w * inverse * inverse * inverse;
            a = a + weight * r;
        }
        // a fast warp must not overwrite the tile while slower warps still read it
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
