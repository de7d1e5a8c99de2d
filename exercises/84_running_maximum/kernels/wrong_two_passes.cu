// must fail with limits: global load requests
extern "C" __global__ void logarithms(const float* data, float* out, int terms, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float largest = -3.4e38f, sum = 0;
    for (int j = 0; j < terms; ++j) {
        const float x = 300 * data[j * rows + row];
        // >>> your code
        if (j == 0)
            for (int k = 0; k < terms; ++k) largest = fmaxf(largest, 300 * data[k * rows + row]);
        sum += exp2f(x - largest);
        // <<<
    }
    out[row] = largest + log2f(sum);
}
