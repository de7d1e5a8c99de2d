// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[4 b block .. 4 (b + 1) block), cut at n.
//
// shapes    data: (n), n >= 1, kept; partials: (grid), 0 where the slice is empty; the host adds them up
// launch    one row of ceil(n / (4 block)) blocks or more; block a power of two in [64, 1024], which the host checks;
//           4 * block bytes of dynamic shared memory; 4 block need not divide n: an element past n counts as 0.
// cost      04 has one entry point per block size, since the size of a static array is a constant of the code.
// idea      the launch decides the size of the array, and the block's size is read when the kernel runs: one entry
//           point for all. (The tutorial tests blockDim.x > 512 and so on where >= is correct, which skips a level, and
//           writes partials[threadIdx.x] for partials[blockIdx.x].)
// expected  memory accesses and barriers as in 04, one for one; more branches, since the tree's levels are a loop.

extern "C" __global__ void reduceSmemUnrollDyn(const int* __restrict__ data, int* __restrict__ partials,
                                               unsigned int n) {
    constexpr unsigned int WARP = 32;
    constexpr unsigned int PARTS = 4;  // elements that a thread adds
    extern __shared__ int tree[];      // (block)
    const unsigned int block = blockDim.x;
    const unsigned int t = threadIdx.x;  // [0, block)
    const unsigned int slice_length = PARTS * block;
    const size_t first = (size_t)blockIdx.x * slice_length;
    const unsigned int count = first < n ? min(slice_length, n - (unsigned int)first) : 0;  // elements
    const int* const slice = data + first;

    int sum = 0;
    if (count == slice_length) {
        // no guard between the four loads, so that all are under way before the first is added
#pragma unroll
        for (unsigned int part = 0; part < PARTS; ++part) sum += slice[part * block + t];
    } else {
        for (unsigned int k = t; k < count; k += block) sum += slice[k];
    }
    tree[t] = sum;
    // the first level reads what other warps have stored
    __syncthreads();

    for (unsigned int half = block / 2; half >= WARP; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        // the next level reads what other warps write here; outside of the `if`, since all threads must arrive
        __syncthreads();
    }

    if (t < WARP) {
#pragma unroll
        for (unsigned int half = WARP / 2; half > 0; half /= 2) {
            if (t < half) tree[t] += tree[t + half];
            // lanes do not run in lockstep since Volta: the next level reads what other lanes write here
            __syncwarp();
        }
    }

    if (t == 0) partials[blockIdx.x] = tree[0];
}
