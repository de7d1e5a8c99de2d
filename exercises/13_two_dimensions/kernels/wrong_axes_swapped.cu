// must fail with results: 2,200 of the 5,000 elements
extern "C" __global__ void brighten(const float* image, float* out, int width, int height) {
    // >>> your code
    const int column = blockIdx.y * blockDim.y + threadIdx.y;
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    // <<<
    if (column < width && row < height) {
        out[row * width + column] = 1.5f * image[row * width + column];
    }
}
