// bins[v] += the number of bytes with value v, for each v in [0, 256).
//
// shapes      data: (n), n >= 1, any bytes; bins: (256), to which all blocks add
// launch      a one-dimensional grid of any number of blocks, block a multiple of 32. Indices are 32-bit:
//             grid * block + n < 2^31.
// bottleneck  baseline. Every byte is an addition in global memory, and all of them go to 32 sectors. Counters:
//             global_atomic_requests, global_atomic_sectors.
// idea        one thread per byte, then one grid of threads further on.
// expected    global load: 1 request of 1 sector per warp and 32 bytes; as many atomic requests. Lanes with equal bytes
//             add one after the other.

extern "C" __global__ void histogramGlobal(const unsigned char* data, unsigned int* bins, unsigned int n) {
    const unsigned int step = gridDim.x * blockDim.x;
    const unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;  // [0, step)
    // atomic, since all other threads add to these bins as well
    for (unsigned int i = first; i < n; i += step) atomicAdd(&bins[data[i]], 1);
}
