extern "C" __global__ void add(const float* a, const float* b, float* sum, int n) {
    // >>> your code
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // <<<
    sum[i] = a[i] + b[i];
}
