// must fail with runs: memcheck: out-of-bounds access
extern "C" __global__ void partial_sums(const int* data, int* partials, int n) {
    __shared__ int tree[128];
    const int t = threadIdx.x;
    const int first = blockIdx.x * 512;
    int sum = 0;
    // >>> your code
    for (int k = first + t; k < first + 512; k += 128) sum += data[k];
    // <<<
    tree[t] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0) partials[blockIdx.x] = tree[0];
}
