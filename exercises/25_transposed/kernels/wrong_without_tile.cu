// must fail with limits: global store sectors
extern "C" __global__ void transpose(const float* matrix, float* out, int width, int height) {
    // >>> your code
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (column < width && row < height) out[column * height + row] = matrix[row * width + column];
    // <<<
}
