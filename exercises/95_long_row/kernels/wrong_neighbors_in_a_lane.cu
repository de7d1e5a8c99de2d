// must fail with limits: global load sectors
extern "C" __global__ void multiply(const unsigned int* starts, const unsigned char* columns, const float* values,
                                    const float* x, float* y, int rows) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    // >>> your code
    const int lane = t % 32;
    for (int row = t / 32; row < rows; row += threads / 32) {
        const int begin = starts[row], end = starts[row + 1], each = (end - begin + 31) / 32;
        float sum = 0.0f;
        for (int k = begin + lane * each; k < min(begin + (lane + 1) * each, end); ++k)
            sum += values[k] * x[columns[k]];
        for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
        if (lane == 0) y[row] = sum;
    }
    // <<<
}
