// must fail with results: 1 of the 1,000 elements
extern "C" __global__ void twice(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // >>> your code
    if (i < n - 1) out[i] = 2.0f * in[i];
    // <<<
}
