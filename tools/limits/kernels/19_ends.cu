// endStoring: out[t] = t; endCopying: out[t] = data[t], for t modulo WRAP.
//
// shapes    data: (WRAP); out: (WRAP), which an L2 cache holds
// launch    a one-dimensional grid; a power of two of threads per block, at most 1024.
// measures  blocks per second that end after a store, by threads per block.
// expected  a request of 4 sectors per warp to store, and one to load.

constexpr unsigned int WRAP = 1 << 22;

extern "C" __global__ void __launch_bounds__(1024) endStoring(const int*, int* __restrict__ out) {
    const unsigned int t = (blockIdx.x * blockDim.x + threadIdx.x) % WRAP;
    out[t] = t;
}

extern "C" __global__ void __launch_bounds__(1024) endCopying(const int* __restrict__ data, int* __restrict__ out) {
    const unsigned int t = (blockIdx.x * blockDim.x + threadIdx.x) % WRAP;
    out[t] = data[t];
}
