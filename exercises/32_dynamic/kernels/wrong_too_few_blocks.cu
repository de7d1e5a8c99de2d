// must fail with results: 104 of the 1,000
// >>> your code
// launch <<<7, 128, 128 * sizeof(float)>>>
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
