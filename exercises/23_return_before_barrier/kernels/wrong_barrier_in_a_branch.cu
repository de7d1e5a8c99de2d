// must fail with findings: synccheck: barrier with divergent threads
extern "C" __global__ void light(const float* lamps, const float* power, float* light, int n) {
    __shared__ float tile_x[128], tile_p[128];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 128 + t;
    const float own = i < n ? lamps[i] : 0.0f;
    float sum = 0.0f;
    // >>> your code
    for (int first = 0; first < n; first += 128) {
        const int j = first + t;
        tile_x[t] = j < n ? lamps[j] : 0.0f;
        tile_p[t] = j < n ? power[j] : 0.0f;
        __syncthreads();
        if (i < n) {
            for (int k = 0; k < 128; ++k) {
                const float d = tile_x[k] - own;
                sum += tile_p[k] / (d * d + 0.01f);
            }
            __syncthreads();
        }
    }
    if (i < n) light[i] = sum;
    // <<<
}
