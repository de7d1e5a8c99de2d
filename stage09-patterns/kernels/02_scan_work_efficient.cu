// prefixes[i] = the sum of the numbers before i in its slice of BLOCK numbers, modulo 2^32; sums[b] = the sum of slice b.
//
// shapes      numbers, prefixes: (n), n >= 1; sums: (grid)
// launch      a one-dimensional grid of ceil(n / BLOCK) blocks, block = BLOCK, which is in the name of the entry point. Of
//             several sums, the host scans those in the same way; then 06 adds to each slice the sum of those before it.
// bottleneck  01: BLOCK * log2(BLOCK) additions for BLOCK numbers. Counter: shared_load_requests.
// idea        Blelloch, 1990: a tree of sums needs less than 2 * BLOCK additions. On the way up, the last number of each
//             part becomes the sum of the part. On the way down, it becomes the sum of all before the part: the left half
//             takes it over, and the right half adds the sum of the left one.
// expected    twice the barriers of 01. Words that are 2, 4, 8, ... apart share banks, and most threads are idle.
//             Counters: shared_load_conflicts, divergent_branches.

template <int BLOCK>
__device__ __forceinline__ void scan_work_efficient(const unsigned int* numbers, unsigned int* prefixes,
                                                    unsigned int* sums, unsigned int n) {
    __shared__ unsigned int tree[BLOCK];
    const int t = threadIdx.x;                      // [0, BLOCK)
    const unsigned int i = blockIdx.x * BLOCK + t;  // [0, n + BLOCK)
    tree[t] = i < n ? numbers[i] : 0;               // behind the last number there are zeros

    for (int half = 1; half < BLOCK; half *= 2) {
        // the sums of the halves are complete
        __syncthreads();
        const int last = (t + 1) * 2 * half - 1;  // of part t
        if (last < BLOCK) tree[last] += tree[last - half];
    }
    // thread 0 alone writes the root in the last step, and reads it
    if (t == 0) {
        sums[blockIdx.x] = tree[BLOCK - 1];
        tree[BLOCK - 1] = 0;
    }
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        // the sums before the parts are complete
        __syncthreads();
        const int last = (t + 1) * 2 * half - 1;
        if (last < BLOCK) {
            const unsigned int left = tree[last - half];
            tree[last - half] = tree[last];
            tree[last] += left;
        }
    }
    // every thread reads what others wrote in the last step
    __syncthreads();

    if (i < n) prefixes[i] = tree[t];
}

#define ENTRY_POINT(BLOCK)                                                                                       \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                          \
        scanWorkEfficient_##BLOCK(const unsigned int* __restrict__ numbers, unsigned int* __restrict__ prefixes, \
                                  unsigned int* __restrict__ sums, unsigned int n) {                             \
        scan_work_efficient<BLOCK>(numbers, prefixes, sums, n);                                                  \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
