// must fail with findings: synccheck
extern "C" __global__ void warp_sums(const int* data, int* sums, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // >>> your code
    if (i < n) {
        int sum = data[i];
        for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(__activemask(), sum, delta);
        if (i % 32 == 0) sums[i / 32] = sum;
    }
    // <<<
}
