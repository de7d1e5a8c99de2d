// must fail with results: 1,000 of the 1,000
extern "C" __global__ void light(const float* lamps, const float* power, float* light, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const float own = lamps[min(i, n - 1)];
    float sum = 0.0f;
    for (int first = 0; first < n; first += 32) {
        const int j = min(first + lane, n - 1);
        const float lamp_x = lamps[j];
        const float lamp_p = first + lane < n ? power[j] : 0.0f;
        // >>> your code
        for (int k = 0; k < 32; ++k) {
            const float x = __shfl_sync(0xffffffff, lamp_x, k);
            const float p = lamp_p;
            const float d = x - own;
            sum += p / (d * d + 0.01f);
        }
        // <<<
    }
    if (i < n) light[i] = sum;
}
