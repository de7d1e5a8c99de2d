// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of f32 in row-major order.
//
// shapes      a, b: (n, n), not modified; c: (n, n); n >= 1
// launch      ceil(n / (block / WARP)) x ceil(n / WARP) blocks, block a multiple of 32. A warp handles 32 rows of a
//             column, a thread one element. Indices are 32-bit: n * n < 2^31.
// bottleneck  baseline. Neighboring threads have neighboring rows, so that a warp's elements of a and of c are in 32
//             rows. Counters: global_load_sectors, global_store_sectors.
// idea        none: one thread an element.
// expected    a's load: 32 sectors per request; b's: 1, the same word for all lanes; the store: 32.

extern "C" __global__ void matmulNaive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                       int n) {
    constexpr int WARP = 32;
    const int row = blockIdx.y * WARP + threadIdx.x % WARP;
    const int column = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
    if (row >= n || column >= n) return;

    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
