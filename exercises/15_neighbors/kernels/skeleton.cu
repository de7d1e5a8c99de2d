extern "C" __global__ void scale(const float* records, float* out, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // >>> your code
    if (i < n) {
        for (int k = 0; k < 7; ++k) out[7 * i + k] = factor * records[7 * i + k];
    }
    // <<<
}
