// must fail with findings: racecheck: race within a warp
extern "C" __global__ void block_sums(const int* data, int* partials, int n) {
    __shared__ int tree[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    tree[t] = i < n ? data[i] : 0;
    __syncthreads();
    // >>> your code
    for (int half = 128; half >= 64; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t < 32) {
        tree[t] += tree[t + 32];
        __syncwarp();
        if (t < 16) tree[t] += tree[t + 16];
        if (t < 8) tree[t] += tree[t + 8];
        if (t < 4) tree[t] += tree[t + 4];
        if (t < 2) tree[t] += tree[t + 2];
        if (t < 1) tree[t] += tree[t + 1];
    }
    if (t == 0) partials[blockIdx.x] = tree[0];
    // <<<
}
