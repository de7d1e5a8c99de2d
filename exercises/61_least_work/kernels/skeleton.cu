// Returns the light of a lamp of power w at a point.
__device__ float light_of(float4 lamp, float4 point) {
    const float dx = lamp.x - point.x, dy = lamp.y - point.y, dz = lamp.z - point.z;
    return lamp.w / (dx * dx + dy * dy + dz * dz + 0.01f);
}

// >>> your code
// launch <<<8, 128>>>
// <<<

extern "C" __global__ void light(const float4* lamps, const float4* points, float* light, int n) {
    // >>> your code
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 own = points[i];
    float sum = 0.0f;
#pragma unroll 1
    for (int j = 0; j < n; ++j) sum += light_of(lamps[j], own);
    light[i] = sum;
    // <<<
}
