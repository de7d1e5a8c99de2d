extern "C" __global__ void brighten(const float* image, float* out, int width, int height) {
    // >>> your code
    const int column = 0;
    const int row = 0;
    // <<<
    if (column < width && row < height) {
        out[row * width + column] = 1.5f * image[row * width + column];
    }
}
