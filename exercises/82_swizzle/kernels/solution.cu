extern "C" __global__ void transpose(const float* matrix, float* out, int width, int height) {
    __shared__ float tile[32 * 32];
    // >>> your code
    // The place in the tile of the element in this row and column, both below 32.
    auto place = [](int row, int column) { return row * 32 + (column ^ row); };
    // <<<
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
    if (column < width && row < height) tile[place(y, x)] = matrix[row * width + column];
    __syncthreads();
    const int out_column = blockIdx.y * 32 + x, out_row = blockIdx.x * 32 + y;
    if (out_column < height && out_row < width) out[out_row * height + out_column] = tile[place(x, y)];
}
