// must fail with limits: global atomic requests / warps
extern "C" __global__ void sum(const float* data, float* total, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    // >>> your code
    for (int k = i; k < n; k += stride) atomicAdd(total, data[k]);
    // <<<
}
