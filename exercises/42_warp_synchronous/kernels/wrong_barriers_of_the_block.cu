// must fail with limits: barriers / warps
extern "C" __global__ void block_sums(const int* data, int* partials, int n) {
    __shared__ int tree[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    tree[t] = i < n ? data[i] : 0;
    __syncthreads();
    // >>> your code
    for (int half = 128; half >= 1; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0) partials[blockIdx.x] = tree[0];
    // <<<
}
