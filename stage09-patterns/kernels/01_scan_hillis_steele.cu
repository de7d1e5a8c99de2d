// prefixes[i] = the sum of the numbers before i in its slice of BLOCK numbers, modulo 2^32; sums[b] = the sum of slice b.
//
// shapes      numbers, prefixes: (n), n >= 1; sums: (grid)
// launch      a one-dimensional grid of ceil(n / BLOCK) blocks, block = BLOCK, which is in the name of the entry point. Of
//             several sums, the host scans those in the same way; then 06 adds to each slice the sum of those before it.
// bottleneck  baseline. Each of log2(BLOCK) steps has a barrier, and adds for all threads. Counters: barriers,
//             shared_load_requests.
// idea        Hillis and Steele, 1986: in each step a thread adds the sum of the thread `apart` places before it, and `apart`
//             doubles. Two buffers, so that no thread overwrites a sum which another one still reads.
// expected    one load and one store per number in global memory, both coalesced; no bank conflicts.

template <int BLOCK>
__device__ __forceinline__ void scan_hillis_steele(const unsigned int* numbers, unsigned int* prefixes,
                                                   unsigned int* sums, unsigned int n) {
    __shared__ unsigned int buffers[2][BLOCK];
    const int t = threadIdx.x;                        // [0, BLOCK)
    const unsigned int i = blockIdx.x * BLOCK + t;    // [0, n + BLOCK)
    const unsigned int own = i < n ? numbers[i] : 0;  // behind the last number there are zeros

    unsigned int sum = own;  // of the `apart` numbers up to the own one
    unsigned int* now = buffers[0];
    unsigned int* next = buffers[1];
    now[t] = sum;
    for (int apart = 1; apart < BLOCK; apart *= 2) {
        // the sums of the last step are complete, and nobody reads those of the step before
        __syncthreads();
        if (t >= apart) sum += now[t - apart];
        next[t] = sum;
        unsigned int* const read = now;
        now = next;
        next = read;
    }

    if (i < n) prefixes[i] = sum - own;
    if (t == BLOCK - 1) sums[blockIdx.x] = sum;
}

#define ENTRY_POINT(BLOCK)                                                                                      \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                         \
        scanHillisSteele_##BLOCK(const unsigned int* __restrict__ numbers, unsigned int* __restrict__ prefixes, \
                                 unsigned int* __restrict__ sums, unsigned int n) {                             \
        scan_hillis_steele<BLOCK>(numbers, prefixes, sums, n);                                                  \
    }

ENTRY_POINT(64)
ENTRY_POINT(128)
ENTRY_POINT(256)
ENTRY_POINT(512)
ENTRY_POINT(1024)
