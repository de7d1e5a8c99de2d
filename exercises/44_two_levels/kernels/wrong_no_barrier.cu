// must fail with findings:
extern "C" __global__ void block_sums(const float* data, float* partials, int n) {
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const int i = blockIdx.x * 256 + t;
    // >>> your code
    __shared__ float slots[8];
    float sum = i < n ? data[i] : 0.0f;
    for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (lane == 0) slots[warp] = sum;
    if (warp == 0) {
        sum = lane < 8 ? slots[lane] : 0.0f;
        for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
        if (lane == 0) partials[blockIdx.x] = sum;
    }
    // <<<
}
