// must fail with runs: memcheck: out-of-bounds access
extern "C" __global__ void add(const float* a, const float* b, float* sum, int n) {
    // >>> your code
    const int i = threadIdx.x * blockDim.x + blockIdx.x;
    // <<<
    sum[i] = a[i] + b[i];
}
