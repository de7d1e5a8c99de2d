// must fail with results: 896 of the 1,024 elements
extern "C" __global__ void add(const float* a, const float* b, float* sum, int n) {
    // >>> your code
    const int i = threadIdx.x;
    // <<<
    sum[i] = a[i] + b[i];
}
