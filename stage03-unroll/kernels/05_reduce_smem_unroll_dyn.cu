// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[4 b block .. 4 (b + 1) block), truncated
// at n.
//
// shapes      data: (n), n >= 1, not modified; partials: (grid), 0 for an empty slice; the host adds them up
// launch      a one-dimensional grid of at least ceil(n / (4 block)) blocks; block a power of two in [64, 1024], which
//             the host checks; 4 * block bytes of dynamic shared memory. n need not be a multiple of 4 block: elements
//             past n count as 0.
// bottleneck  04 needs one entry point per block size, since the size of a static shared array is a compile-time
//             constant.
// idea        dynamic shared memory: the launch sets the size of the array, and the kernel reads the block size at run
//             time, so that one entry point serves all sizes. (The tutorial tests blockDim.x > 512 and so on
//             where >= is correct, which skips a level, and writes partials[threadIdx.x] for partials[blockIdx.x].)
// expected    exactly the memory accesses and barriers of 04; more branches, since the levels of the tree are a loop.

extern "C" __global__ void reduceSmemUnrollDyn(const int* __restrict__ data, int* __restrict__ partials,
                                               unsigned int n) {
    constexpr unsigned int WARP = 32;
    constexpr unsigned int PARTS = 4;  // elements per thread
    extern __shared__ int tree[];      // (block)
    const unsigned int block = blockDim.x;
    const unsigned int t = threadIdx.x;  // [0, block)
    const unsigned int slice_length = PARTS * block;
    const size_t first = (size_t)blockIdx.x * slice_length;
    const unsigned int count = first < n ? min(slice_length, n - (unsigned int)first) : 0;  // elements
    const int* const slice = data + first;

    int sum = 0;
    if (count == slice_length) {
        // no branch between the four loads: all are in flight before the first is added
#pragma unroll
        for (unsigned int part = 0; part < PARTS; ++part) sum += slice[part * block + t];
    } else {
        for (unsigned int k = t; k < count; k += block) sum += slice[k];
    }
    tree[t] = sum;
    // the first level reads sums of other warps
    __syncthreads();

    for (unsigned int half = block / 2; half >= WARP; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        // the next level reads sums of other warps; outside the `if`, since all threads must reach the barrier
        __syncthreads();
    }

    if (t < WARP) {
#pragma unroll
        for (unsigned int half = WARP / 2; half > 0; half /= 2) {
            if (t < half) tree[t] += tree[t + half];
            // since Volta, lanes do not run in lockstep, and the next level reads sums of other lanes
            __syncwarp();
        }
    }

    if (t == 0) partials[blockIdx.x] = tree[0];
}
