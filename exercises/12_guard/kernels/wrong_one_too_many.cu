// must fail with runs: memcheck: out-of-bounds access
extern "C" __global__ void twice(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // >>> your code
    if (i <= n) out[i] = 2.0f * in[i];
    // <<<
}
