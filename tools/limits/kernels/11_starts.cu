// startEmpty does nothing; startReading: out[b] = 1 + the index of the thread of block b that read a negative value, if
// one did; startTree: out[b] = the sum of the values of block b, in int32 modulo 2^32.
//
// shapes    data: (threads of the grid); out: (blocks)
// launch    a one-dimensional grid; a power of two of threads per block, at most 1024.
// measures  blocks started per second, by threads per block and by what the block does.
// expected  a request of 4 sectors per warp, but for startEmpty; startTree has a barrier per halving.

extern "C" __global__ void __launch_bounds__(1024) startEmpty(const int*, int*) {}

extern "C" __global__ void __launch_bounds__(1024) startReading(const int* __restrict__ data, int* __restrict__ out) {
    if (data[blockIdx.x * blockDim.x + threadIdx.x] < 0) out[blockIdx.x] = threadIdx.x + 1;
}

extern "C" __global__ void __launch_bounds__(1024) startTree(const int* __restrict__ data, int* __restrict__ out) {
    __shared__ int sums[1024];
    sums[threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x];
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  // the halves are complete
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
