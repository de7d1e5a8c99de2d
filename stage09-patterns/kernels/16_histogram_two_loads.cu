// bins[v] += the number of bytes with value v, for each v in [0, 256).
//
// shapes      data: (n), n >= 1, any bytes, 16-byte aligned; bins: (256), to which all blocks add
// launch      a one-dimensional grid of any number of blocks, block a multiple of 32. Indices are 32-bit:
//             grid * block + n < 2^31.
// bottleneck  15: a thread has one load in flight, and adds its 16 bytes before it asks for the next ones. Its warp waits
//             for each load, and no unit is full.
// idea        two loads in flight: both groups are asked for before the first is counted.
// expected    counts as in 15, with fewer rounds of the loop.

constexpr int BINS = 256;
constexpr int WARP = 32;
constexpr int EACH = 16;  // bytes per load

// Counts the four bytes of a word. The same lanes of other warps add to `own` at the same time.
__device__ __forceinline__ void count_word(unsigned int* own, unsigned int word) {
#pragma unroll
    for (int shift = 0; shift < 32; shift += 8) atomicAdd(&own[(word >> shift & 0xff) * WARP], 1);
}

__device__ __forceinline__ void count(unsigned int* own, uint4 group) {
    count_word(own, group.x);
    count_word(own, group.y);
    count_word(own, group.z);
    count_word(own, group.w);
}

extern "C" __global__ void histogramTwoLoads(const unsigned char* data, unsigned int* bins, unsigned int n) {
    __shared__ unsigned int copies[BINS * WARP];  // (BINS, WARP)
    for (int b = threadIdx.x; b < BINS * WARP; b += blockDim.x) copies[b] = 0;
    // the threads of other warps add to these bins
    __syncthreads();

    unsigned int* const own = copies + threadIdx.x % WARP;
    const uint4* const groups = reinterpret_cast<const uint4*>(data);
    const unsigned int step = gridDim.x * blockDim.x;
    const unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;  // [0, step)
    unsigned int i = first;
    for (; i + step < n / EACH; i += 2 * step) {
        const uint4 one = groups[i], other = groups[i + step];
        count(own, one);
        count(own, other);
    }
    if (i < n / EACH) count(own, groups[i]);
    // the bytes past the last whole group, which are fewer than the threads
    const unsigned int past = n / EACH * EACH + first;
    if (past < n) atomicAdd(&own[data[past] * WARP], 1);

    // the copies contain the additions of all threads
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned int sum = 0;
        for (int k = 0; k < WARP; ++k) sum += copies[b * WARP + (k + b) % WARP];
        atomicAdd(&bins[b], sum);
    }
}
