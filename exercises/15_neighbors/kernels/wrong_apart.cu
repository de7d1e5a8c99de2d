// must fail with limits: global load sectors / global load requests
extern "C" __global__ void scale(const float* records, float* out, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // >>> your code
    for (int k = i; k < 7 * n; k += gridDim.x * blockDim.x) {
        const int other = k % n * 7 + k / n;
        out[other] = factor * records[other];
    }
    // <<<
}
