// partials[b] = sum of slice b of data, in int32 modulo 2^32; slice b is data[4 b BLOCK .. 4 (b + 1) BLOCK), truncated
// at n.
//
// shapes      data: (n), n >= 1, not modified; partials: (grid), 0 for an empty slice; the host adds them up
// launch      a one-dimensional grid of at least ceil(n / (4 BLOCK)) blocks, block = BLOCK, which is in the name of the
//             entry point. n need not be a multiple of 4 BLOCK: elements past n count as 0.
// bottleneck  stage02's 05: a thread loads a single element and then takes part in a tree in which half of the threads
//             are active, then a quarter, and so on, with a barrier at each level. Counters: barriers,
//             shared_load_requests.
// idea        add during the load: each thread adds four elements, one block apart, before the tree begins. There are a
//             quarter of the blocks and of the trees, and four loads per thread in flight at once.
// expected    global loads as in stage02's 05: 1 request of 4 sectors for 32 elements. Global stores, barriers and
//             shared-memory accesses: a quarter.

template <unsigned int BLOCK>
__device__ __forceinline__ void reduce_smem_unroll(const int* data, int* partials, unsigned int n) {
    constexpr unsigned int WARP = 32;
    constexpr unsigned int PARTS = 4;  // elements per thread
    constexpr unsigned int SLICE = PARTS * BLOCK;
    static_assert(BLOCK >= 2 * WARP && (BLOCK & (BLOCK - 1)) == 0, "the tree halves whole warps");
    __shared__ int tree[BLOCK];
    const unsigned int t = threadIdx.x;  // [0, BLOCK)
    const size_t first = (size_t)blockIdx.x * SLICE;
    const unsigned int count = first < n ? min(SLICE, n - (unsigned int)first) : 0;  // elements, [0, SLICE]
    const int* const slice = data + first;

    int sum = 0;
    if (count == SLICE) {
        // no branch between the four loads: all are in flight before the first is added
#pragma unroll
        for (unsigned int part = 0; part < PARTS; ++part) sum += slice[part * BLOCK + t];
    } else {
        for (unsigned int k = t; k < count; k += BLOCK) sum += slice[k];
    }
    tree[t] = sum;
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

#define ENTRY_POINT(BLOCK)                                                                                   \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                      \
        reduceSmemUnroll_##BLOCK(const int* __restrict__ data, int* __restrict__ partials, unsigned int n) { \
        reduce_smem_unroll<BLOCK>(data, partials, n);                                                        \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
