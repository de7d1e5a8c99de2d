// must fail with findings: racecheck: race between warps
extern "C" __global__ void transpose(const float* matrix, float* out, int width, int height) {
    // >>> your code
    __shared__ float tile[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
    if (column < width && row < height) tile[y][x] = matrix[row * width + column];
    const int out_column = blockIdx.y * 32 + x, out_row = blockIdx.x * 32 + y;
    if (out_column < height && out_row < width) out[out_row * height + out_column] = tile[x][y];
    // <<<
}
