// must fail with findings: racecheck: race
extern "C" __global__ void sum(const float* data, float* total, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    // >>> your code
    float sum = 0.0f;
    for (int k = i; k < n; k += stride) sum += data[k];
    *total += sum;
    // <<<
}
