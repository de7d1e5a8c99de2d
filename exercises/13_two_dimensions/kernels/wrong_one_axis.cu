// must fail with results:
extern "C" __global__ void brighten(const float* image, float* out, int width, int height) {
    // >>> your code
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y;
    // <<<
    if (column < width && row < height) {
        out[row * width + column] = 1.5f * image[row * width + column];
    }
}
