// must fail with findings: racecheck: race
extern "C" __global__ void scan(const unsigned int* data, unsigned int* sums, int n) {
    __shared__ unsigned int tile[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    tile[t] = i < n ? data[i] : 0;
    __syncthreads();
    // >>> your code
    for (int apart = 1; apart < 128; apart *= 2) {
        const unsigned int before = t >= apart ? tile[t - apart] : 0;
        __syncthreads();
        tile[t] += before;
    }
    __syncthreads();
    // <<<
    if (i < n) sums[i] = tile[t];
}
