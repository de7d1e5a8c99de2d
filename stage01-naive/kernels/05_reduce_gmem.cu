// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[b * block .. (b + 1) * block), cut at n.
//
// shapes    data: (n), n >= 1, destroyed; partials: (grid), 0 where the slice is empty; the host adds them up
// launch    one row of ceil(n / block) blocks or more; block a power of two in [32, 1024], which the host checks;
//           block need not divide n: elements past n are left out.
// cost      each level of the tree goes through global memory: almost 2 n words read and n written, where n read and
//           grid written are enough. Counters: global_load_sectors, global_store_sectors.
// idea      a tree in place, half the threads at each level; one warp alone needs no barrier of the block, so its
//           levels are unrolled.
// expected  a full warp's load or store: 1 request of 4 sectors; the last warp's levels: 2, 1, 1, 1, 1 sectors.

extern "C" __global__ void reduceGmem(int* data, int* partials, unsigned int n) {
    constexpr unsigned int WARP = 32;
    const unsigned int t = threadIdx.x;  // [0, block)
    const size_t first = (size_t)blockIdx.x * blockDim.x;
    const unsigned int count = first < n ? min(blockDim.x, n - (unsigned int)first) : 0;  // elements, [0, block]
    int* const slice = data + first;

    for (unsigned int half = blockDim.x / 2; half >= WARP; half /= 2) {
        if (t < half && t + half < count) slice[t] += slice[t + half];
        // the next level reads what other warps write here; outside of the `if`, since all threads must arrive
        __syncthreads();
    }

    if (t < WARP) {
#pragma unroll
        for (unsigned int half = WARP / 2; half > 0; half /= 2) {
            if (t < half && t + half < count) slice[t] += slice[t + half];
            // lanes do not run in lockstep since Volta: the next level reads what other lanes write here
            __syncwarp();
        }
    }

    if (t == 0) partials[blockIdx.x] = count > 0 ? slice[0] : 0;
}
