// must fail with results: 50 of the 50
extern "C" __global__ void row_sums(const int* table, int* sums, int height, int width) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height) return;
    const int* row = table + i * width;
    int sum = 0;
    // >>> your code
    for (int k = 0; k + 4 <= width; k += 4) sum += row[k] + row[k + 1] + row[k + 2] + row[k + 3];
    // <<<
    sums[i] = sum;
}
