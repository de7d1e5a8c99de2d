// must fail with limits: shuffles
extern "C" __global__ void block_sums(const int* data, int* partials, int n) {
    __shared__ int tree[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    tree[t] = i < n ? data[i] : 0;
    __syncthreads();
    // >>> your code
    for (int half = 128; half >= 32; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < 32; ++k) sum += tree[k];
        partials[blockIdx.x] = sum;
    }
    // <<<
}
