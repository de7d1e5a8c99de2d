// bins[v] += the number of bytes with value v, for each v in [0, 256).
//
// shapes      data: (n), n >= 1, any bytes; bins: (256), to which all blocks add
// launch      a one-dimensional grid of any number of blocks, block a multiple of 32. Indices are 32-bit:
//             grid * block + n < 2^31.
// bottleneck  11: every byte is an addition in global memory, and all of them go to the same 32 sectors. Counters:
//             global_atomic_requests, global_atomic_sectors.
// idea        a block counts its bytes in bins of its own, in shared memory, and adds these to the bins in the end: 256
//             additions in global memory per block, however many bytes it takes.
// expected    global load as in 11; one shared atomic per warp and 32 bytes, with bank conflicts; 8 global atomic
//             requests per block.

constexpr int BINS = 256;

extern "C" __global__ void histogramShared(const unsigned char* data, unsigned int* bins, unsigned int n) {
    __shared__ unsigned int own[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) own[b] = 0;
    // the other threads add to these bins
    __syncthreads();

    const unsigned int step = gridDim.x * blockDim.x;
    const unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;  // [0, step)
    // atomic, since all other threads of the block add to these bins as well
    for (unsigned int i = first; i < n; i += step) atomicAdd(&own[data[i]], 1);

    // the bins contain the additions of all threads
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}
