// must fail with findings: racecheck: race between warps
// >>> your code
// launch <<<n / 512, 128>>>
// <<<

extern "C" __global__ void forces(const float4* bodies, float* forces, int n) {
    // >>> your code
    __shared__ float4 tile[128];
    const int t = threadIdx.x;
    const int groups = (n + 511) / 512, slices = gridDim.x / groups;
    const int first = blockIdx.x % groups * 512 + t;
    float4 own[4];
    float sum_x[4] = {}, sum_y[4] = {}, sum_z[4] = {};
    for (int e = 0; e < 4; ++e) own[e] = bodies[min(first + e * 128, n - 1)];
    for (int begin = blockIdx.x / groups * 128; begin < n; begin += slices * 128) {
        tile[t] = begin + t < n ? bodies[begin + t] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < 128; ++k) {
            const float4 source = tile[k];
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const float dx = source.x - own[e].x, dy = source.y - own[e].y, dz = source.z - own[e].z;
                const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
                const float weight = source.w * inverse * inverse * inverse;
                sum_x[e] += weight * dx;
                sum_y[e] += weight * dy;
                sum_z[e] += weight * dz;
            }
        }
    }
    for (int e = 0; e < 4; ++e) {
        const int i = first + e * 128;
        if (i < n) {
            atomicAdd(&forces[i], own[e].w * sum_x[e]);
            atomicAdd(&forces[n + i], own[e].w * sum_y[e]);
            atomicAdd(&forces[2 * n + i], own[e].w * sum_z[e]);
        }
    }
    // <<<
}
