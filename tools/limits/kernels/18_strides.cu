// sums[w] = the sum of the elements that warp w loads, in int32 modulo 2^32.
//
// shapes    data: (span); sums: (warps of the grid); out: (span)
// launch    a one-dimensional grid of blocks of 256 threads; rows = span / stride.
// measures  4-byte loads per second, the lanes of a warp being stride elements apart, by this stride and by the size of
//           data. All elements of one remainder by stride are read before those of the next. storeSparse: stores, of one
//           remainder alone, so that the rest of a sector is never stored.
// expected  min(stride, 8) / 8 sectors per lane, 32 in a request at most.

constexpr int LOADS = 8;
constexpr int BLOCK = 256;

extern "C" __global__ void __launch_bounds__(BLOCK)
    loadStrided(const int* __restrict__ data, int* __restrict__ sums, unsigned int rows, unsigned int stride) {
    int loaded[LOADS], total = 0;
#pragma unroll
    for (int k = 0; k < LOADS; ++k) {
        const unsigned int t = (blockIdx.x * LOADS + k) * BLOCK + threadIdx.x;
        loaded[k] = data[(size_t)(t % rows) * stride + t / rows % stride];
    }
#pragma unroll
    for (int k = 0; k < LOADS; ++k) total += loaded[k];
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) total += __shfl_xor_sync(0xffffffff, total, mask);
    if (threadIdx.x % 32 == 0) sums[(blockIdx.x * BLOCK + threadIdx.x) / 32] = total;
}

// out[e] = 1 for the first rows elements whose index is a multiple of stride; the grid passes them again and again.
extern "C" __global__ void __launch_bounds__(BLOCK)
    storeSparse(int* __restrict__ out, unsigned int rows, unsigned int stride) {
#pragma unroll
    for (int k = 0; k < LOADS; ++k) {
        const unsigned int t = (blockIdx.x * LOADS + k) * BLOCK + threadIdx.x;
        out[(size_t)(t % rows) * stride] = 1;
    }
}
