// must fail with limits: shared load conflicts
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[32][8], tile_b[8][32];
    const int x = threadIdx.x, y = threadIdx.y, t = y * 8 + x;
    const int first_row = blockIdx.y * 32, first_column = blockIdx.x * 32;
    // >>> your code
    // The place in the block's tile of sum (i, j) of this thread; i and j are below 4.
    auto row = [=](int i) { return y * 4 + i; };
    auto column = [=](int j) { return x + 8 * j; };
    // <<<
    float sums[4][4] = {};
    for (int first = 0; first < n; first += 8) {
        for (int e = t; e < 256; e += 64) {
            const int row_a = first_row + e / 8, column_b = first_column + e % 32;
            tile_a[e / 8][e % 8] = row_a < n ? a[row_a * n + first + e % 8] : 0;
            tile_b[e / 32][e % 32] = column_b < n ? b[(first + e / 32) * n + column_b] : 0;
        }
        __syncthreads();
        for (int k = 0; k < 8; ++k)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sums[i][j] += tile_a[row(i)][k] * tile_b[k][column(j)];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const int r = first_row + row(i), s = first_column + column(j);
            if (r < n && s < n) c[r * n + s] = sums[i][j];
        }
}
