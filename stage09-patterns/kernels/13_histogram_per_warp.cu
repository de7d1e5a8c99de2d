// bins[v] += the number of bytes with value v, for each v in [0, 256).
//
// shapes      data: (n), n >= 1, any bytes; bins: (256), to which all blocks add
// launch      a one-dimensional grid of any number of blocks, block a multiple of 32, 32 * block bytes of dynamic shared
//             memory. Indices are 32-bit: grid * block + n < 2^31.
// bottleneck  12: all warps of a block add to the same words of shared memory. Counter: shared_atomic_conflicts, which
//             are those within a warp.
// idea        a copy of the bins for each warp, so that no two warps add to the same word.
// expected    accesses and conflicts of the loop as in 12. On an H200 the time is that of 12: the instructions of the loop
//             over single bytes are the limit, not the additions.

constexpr int BINS = 256;
constexpr int WARP = 32;

extern "C" __global__ void histogramPerWarp(const unsigned char* data, unsigned int* bins, unsigned int n) {
    extern __shared__ unsigned int copies[];  // (warps, BINS)
    const int warps = blockDim.x / WARP;
    for (int b = threadIdx.x; b < warps * BINS; b += blockDim.x) copies[b] = 0;
    // the threads of other warps add to these bins
    __syncthreads();

    unsigned int* const own = copies + threadIdx.x / WARP * BINS;
    const unsigned int step = gridDim.x * blockDim.x;
    const unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;  // [0, step)
    // atomic, since all other lanes of the warp add to these bins as well
    for (unsigned int i = first; i < n; i += step) atomicAdd(&own[data[i]], 1);

    // the copies contain the additions of all threads
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned int sum = 0;
        for (int warp = 0; warp < warps; ++warp) sum += copies[warp * BINS + b];
        atomicAdd(&bins[b], sum);
    }
}
