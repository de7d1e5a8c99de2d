extern "C" __global__ void multiply(const unsigned int* starts, const unsigned char* columns, const float* values,
                                    const float* x, float* y, int rows) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    // >>> your code
    for (int row = t; row < rows; row += threads) {
        const int end = starts[row + 1];
        float sum = 0.0f;
        for (int k = starts[row]; k < end; ++k) sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
    // <<<
}
