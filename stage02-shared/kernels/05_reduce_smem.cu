// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[b * BLOCK .. (b + 1) * BLOCK), truncated
// at n.
//
// shapes      data: (n), n >= 1, not modified; partials: (grid), 0 for an empty slice; the host adds them up
// launch      a one-dimensional grid of at least ceil(n / BLOCK) blocks, block = BLOCK, which is in the name of the
//             entry point. n need not be a multiple of BLOCK: elements past n count as 0.
// bottleneck  stage01's 05: every level of the tree goes through global memory, almost 2 n words read and n written.
//             Counters: global_load_sectors, global_store_sectors.
// idea        the tree is in shared memory: n words are read and one per block is written. The input is not modified.
// expected    global load: 1 request of 4 sectors per warp. Global store: 1 request of 1 sector per block. Shared
//             memory: 2 loads and a store per level per active warp, 1 wavefront each. Barriers per warp:
//             log2(BLOCK / 32) + 1.
// measured    on an H200 as slow as reduceGmem at this block size, despite a fraction of its memory traffic.

template <unsigned int BLOCK>
__device__ __forceinline__ void reduce_smem(const int* data, int* partials, unsigned int n) {
    constexpr unsigned int WARP = 32;
    static_assert(BLOCK >= 2 * WARP && (BLOCK & (BLOCK - 1)) == 0, "the tree halves whole warps");
    __shared__ int tree[BLOCK];
    const unsigned int t = threadIdx.x;  // [0, BLOCK)
    const size_t first = (size_t)blockIdx.x * BLOCK;
    const unsigned int count = first < n ? min(BLOCK, n - (unsigned int)first) : 0;  // elements, [0, BLOCK]
    const int* const slice = data + first;

    tree[t] = t < count ? slice[t] : 0;
    // the first level reads sums of other warps
    __syncthreads();

#pragma unroll
    for (unsigned int half = BLOCK / 2; half >= WARP; half /= 2) {
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

#define ENTRY_POINT(BLOCK)                                                                             \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                \
        reduceSmem_##BLOCK(const int* __restrict__ data, int* __restrict__ partials, unsigned int n) { \
        reduce_smem<BLOCK>(data, partials, n);                                                         \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
