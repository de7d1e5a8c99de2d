// bins[v] += the number of bytes with value v, for each v in [0, 256).
//
// shapes      data: (n), n >= 1, any bytes, 16-byte aligned; bins: (256), to which all blocks add
// launch      a one-dimensional grid of any number of blocks, block a multiple of 32, 32 * block bytes of dynamic shared
//             memory. Indices are 32-bit: grid * block + n < 2^31.
// bottleneck  13: each byte costs a load, an address and a round of the loop. Counters: global_load_requests,
//             warp_instructions.
// idea        a load of 16 bytes, which a thread takes apart in registers.
// expected    global load: 1 request of 16 sectors per warp and 512 bytes; shared atomics and their conflicts as in 13.

constexpr int BINS = 256;
constexpr int WARP = 32;
constexpr int EACH = 16;  // bytes per load

// Counts the four bytes of a word. The other lanes of the warp add to `own` at the same time.
__device__ __forceinline__ void count_word(unsigned int* own, unsigned int word) {
#pragma unroll
    for (int shift = 0; shift < 32; shift += 8) atomicAdd(&own[word >> shift & 0xff], 1);
}

__device__ __forceinline__ void count(unsigned int* own, uint4 group) {
    count_word(own, group.x);
    count_word(own, group.y);
    count_word(own, group.z);
    count_word(own, group.w);
}

extern "C" __global__ void histogramVector(const unsigned char* data, unsigned int* bins, unsigned int n) {
    extern __shared__ unsigned int copies[];  // (warps, BINS)
    const int warps = blockDim.x / WARP;
    for (int b = threadIdx.x; b < warps * BINS; b += blockDim.x) copies[b] = 0;
    // the threads of other warps add to these bins
    __syncthreads();

    unsigned int* const own = copies + threadIdx.x / WARP * BINS;
    const uint4* const groups = reinterpret_cast<const uint4*>(data);
    const unsigned int step = gridDim.x * blockDim.x;
    const unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;  // [0, step)
    for (unsigned int i = first; i < n / EACH; i += step) count(own, groups[i]);
    // the bytes past the last whole group, which are fewer than the threads
    const unsigned int past = n / EACH * EACH + first;
    if (past < n) atomicAdd(&own[data[past]], 1);

    // the copies contain the additions of all threads
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned int sum = 0;
        for (int warp = 0; warp < warps; ++warp) sum += copies[warp * BINS + b];
        atomicAdd(&bins[b], sum);
    }
}
