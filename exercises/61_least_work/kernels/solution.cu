// Returns the light of a lamp of power w at a point.
__device__ float light_of(float4 lamp, float4 point) {
    const float dx = lamp.x - point.x, dy = lamp.y - point.y, dz = lamp.z - point.z;
    return lamp.w / (dx * dx + dy * dy + dz * dz + 0.01f);
}

// >>> your code
// launch <<<2, 128>>>
// <<<

extern "C" __global__ void light(const float4* lamps, const float4* points, float* light, int n) {
    // >>> your code
    __shared__ float4 tile[128];
    const int t = threadIdx.x;
    const int first = blockIdx.x * 512 + t;
    float4 own[4];
    float sum[4] = {};
    for (int e = 0; e < 4; ++e) own[e] = points[min(first + e * 128, n - 1)];
    for (int begin = 0; begin < n; begin += 128) {
        tile[t] = begin + t < n ? lamps[begin + t] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
#pragma unroll 32
        for (int k = 0; k < 128; ++k) {
            const float4 lamp = tile[k];
#pragma unroll
            for (int e = 0; e < 4; ++e) sum[e] += light_of(lamp, own[e]);
        }
        __syncthreads();
    }
    for (int e = 0; e < 4; ++e) {
        if (first + e * 128 < n) light[first + e * 128] = sum[e];
    }
    // <<<
}
