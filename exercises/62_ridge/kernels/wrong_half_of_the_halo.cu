// must fail with findings: initcheck
__constant__ float weights[129];

// out[i] is the sum of weights[k] * data[i + k - 64] over all elements of data that exist.
extern "C" __global__ void smooth(const float* data, float* out, int n) {
    const int t = threadIdx.x;
    const int i = blockIdx.x * 128 + t;
    // >>> your code
    __shared__ float tile[256];
    tile[t] = i >= 64 && i - 64 < n ? data[i - 64] : 0.0f;
    if (t < 32) tile[t + 128] = i + 64 < n ? data[i + 64] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 129; ++k) sum += weights[k] * tile[t + k];
    if (i < n) out[i] = sum;
    // <<<
}
