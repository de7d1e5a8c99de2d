// must fail with results: 6,000 of the 7,000
extern "C" __global__ void scale(const float* records, float* out, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // >>> your code
    if (i < n) out[i] = factor * records[i];
    // <<<
}
