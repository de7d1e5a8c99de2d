// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of f32 in row-major order.
//
// shapes      a, b: (n, n), not modified; c: (n, n); n >= 1
// launch      ceil(n / WARP) x ceil(n / (block / WARP)) blocks, block a multiple of 32. A warp handles 32 columns
//             of a row, a thread one element. Indices are 32-bit: n * n < 2^31.
// bottleneck  01: a warp's elements of a and of c are in 32 rows, each in a sector of its own. Counters:
//             global_load_sectors, global_store_sectors.
// idea        neighboring threads have neighboring columns: rows and columns change places.
// expected    a's load: 1 sector per request, the same word for all lanes; b's: 4, all of whose words are used; the
//             store: 4.

extern "C" __global__ void matmulCoalesced(const float* __restrict__ a, const float* __restrict__ b,
                                           float* __restrict__ c, int n) {
    constexpr int WARP = 32;
    const int row = blockIdx.y * (blockDim.x / WARP) + threadIdx.x / WARP;
    const int column = blockIdx.x * WARP + threadIdx.x % WARP;
    if (row >= n || column >= n) return;

    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
