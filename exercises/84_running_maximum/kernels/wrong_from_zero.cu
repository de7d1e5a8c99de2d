// must fail with results:
extern "C" __global__ void logarithms(const float* data, float* out, int terms, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float largest = -3.4e38f, sum = 0;
    for (int j = 0; j < terms; ++j) {
        const float x = 300 * data[j * rows + row];
        // >>> your code
        const float next = j == 0 ? fmaxf(0, x) : fmaxf(largest, x);
        sum = sum * exp2f(largest - next) + exp2f(x - next);
        largest = next;
        // <<<
    }
    out[row] = largest + log2f(sum);
}
