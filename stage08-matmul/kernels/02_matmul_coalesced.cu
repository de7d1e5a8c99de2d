// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of f32 in row-major order.
//
// shapes      a, b: (n, n), not modified; c: (n, n); n >= 1
// launch      ceil(n / TILE) x ceil(n / TILE) blocks, block = 1024. n need not be a multiple of TILE = 32. A block
//             handles a square tile of c, a thread one element. Indices are 32-bit: n * n < 2^31.
// bottleneck  01: a warp's elements of a and of c are in 32 rows, each in a sector of its own. Counters:
//             global_load_sectors, global_store_sectors.
// idea        neighboring threads have neighboring columns: rows and columns of the tile change places.
// expected    a's load: 1 sector per request, the same word for all lanes; b's: 4, all of whose words are used; the
//             store: 4.

extern "C" __global__ void __launch_bounds__(1024)
    matmulCoalesced(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    constexpr int TILE = 32;  // rows and columns of c per block
    const int row = blockIdx.y * TILE + threadIdx.x / TILE;
    const int column = blockIdx.x * TILE + threadIdx.x % TILE;
    if (row >= n || column >= n) return;

    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
