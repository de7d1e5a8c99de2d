extern "C" __global__ void partial_sums(const int* data, int* partials, int n) {
    __shared__ int tree[128];
    const int t = threadIdx.x;
    const int first = blockIdx.x * 512;
    int sum = 0;
    // >>> your code
    if (first + t < n) sum += data[first + t];
    // <<<
    tree[t] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0) partials[blockIdx.x] = tree[0];
}
