// must fail with limits: global load requests / warps
extern "C" __global__ void light(const float* lamps, const float* power, float* light, int n) {
    // >>> your code
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float own = lamps[min(i, n - 1)];
    float sum = 0.0f;
    for (int j = 0; j < n; ++j) {
        const float d = lamps[j] - own;
        sum += power[j] / (d * d + 0.01f);
    }
    if (i < n) light[i] = sum;
    // <<<
}
