// must fail with limits: global load sectors
extern "C" __global__ void partial_sums(const int* data, int* partials, int n) {
    __shared__ int tree[128];
    const int t = threadIdx.x;
    const int first = blockIdx.x * 512;
    int sum = 0;
    // >>> your code
    for (int k = first + 4 * t; k < first + 4 * t + 4 && k < n; ++k) sum += data[k];
    // <<<
    tree[t] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0) partials[blockIdx.x] = tree[0];
}
