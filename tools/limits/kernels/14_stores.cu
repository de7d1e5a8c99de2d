// out[e] = e + 1 for all elements e, each stored once per pass over out.
//
// shapes    out: (span), a power of two
// launch    a one-dimensional grid of passes span / (256 STORES) blocks of 256 threads; 32 stride must divide span.
// measures  4-byte stores per second, the lanes of a warp being 2^log_stride elements apart, by this stride and by the
//           size of out. Neighbors of an element are stored by other warps, as when a matrix is transposed.
// expected  min(4 stride, 32) sectors per request, and 32 / that words per sector.

constexpr int STORES = 16;
constexpr int BLOCK = 256;

extern "C" __global__ void __launch_bounds__(BLOCK)
    storeStrided(unsigned int* __restrict__ out, unsigned int span, int log_stride) {
    const unsigned int stride = 1u << log_stride;
#pragma unroll
    for (int k = 0; k < STORES; ++k) {
        const unsigned int t = ((blockIdx.x * STORES + k) * BLOCK + threadIdx.x) & (span - 1);
        const unsigned int tile = t >> (5 + log_stride), warp = t / 32 & (stride - 1), lane = t % 32;
        const unsigned int e = (tile * 32 + lane) * stride + warp;
        out[e] = e + 1;
    }
}
