// must fail with runs: memcheck: out-of-bounds access
// >>> your code
// launch <<<8, 128, 128>>>
// <<<

extern "C" __global__ void reverse(const float* data, float* out, int n) {
    extern __shared__ float part[];
    const int first = blockIdx.x * blockDim.x;
    const int count = min(blockDim.x, n - first);
    const int t = threadIdx.x;
    if (t < count) part[t] = data[first + t];
    __syncthreads();
    if (t < count) out[first + t] = part[count - 1 - t];
}
