// must fail with limits: branches / warps
extern "C" __global__ void light(const float* lamps, const float* power, float* light, int n) {
    __shared__ float tile_x[128], tile_p[128];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 128 + t;
    const float own = i < n ? lamps[i] : 0.0f;
    float sum = 0.0f;
    for (int first = 0; first < n; first += 128) {
        tile_x[t] = first + t < n ? lamps[first + t] : 0.0f;
        tile_p[t] = first + t < n ? power[first + t] : 0.0f;
        __syncthreads();
// >>> your code
#pragma unroll 2
        for (int k = 0; k < 128; ++k) {
            const float d = tile_x[k] - own;
            sum += tile_p[k] / (d * d + 0.01f);
        }
        // <<<
        __syncthreads();
    }
    if (i < n) light[i] = sum;
}
