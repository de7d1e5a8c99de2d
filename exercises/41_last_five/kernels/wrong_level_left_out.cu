// must fail with results: 4 of the 4
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
    if (t < 32) {
        int sum = tree[t];
        for (int delta = 8; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
        if (t == 0) partials[blockIdx.x] = sum;
    }
    // <<<
}
