// sums[w] = the sum of the elements of data that warp w reads, in int32 modulo 2^32.
//
// shapes    data: (groups) of int4; sums: (warps of the grid)
// launch    a one-dimensional grid of groups / (256 LOADS) blocks of 256 threads; groups must be a multiple of 256
//           LOADS, and groups < 2^30.
// measures  bytes read from memory per second, for data much larger than the L2 cache.
// expected  LOADS requests of 16 sectors per warp, all in flight at once.

constexpr int LOADS = 4;
constexpr int BLOCK = 256;

extern "C" __global__ void __launch_bounds__(BLOCK) readMemory(const int4* __restrict__ data, int* __restrict__ sums) {
    const int4* const own = data + (size_t)blockIdx.x * (BLOCK * LOADS) + threadIdx.x;
    int4 loaded[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) loaded[k] = own[k * BLOCK];
    int total = 0;
#pragma unroll
    for (int k = 0; k < LOADS; ++k) total += loaded[k].x + loaded[k].y + loaded[k].z + loaded[k].w;
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) total += __shfl_xor_sync(0xffffffff, total, mask);
    if (threadIdx.x % 32 == 0) sums[(blockIdx.x * BLOCK + threadIdx.x) / 32] = total;
}
