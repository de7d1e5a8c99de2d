// sums[w] = the sum of the elements that warp w reads, in int32 modulo 2^32. All threads together read data from its
// start to its end and again, each LOADS elements of 16 bytes at a time, turns times; `sharing` blocks read the same ones.
//
// shapes    data: (groups) of int4; sums: (warps of the grid)
// launch    a one-dimensional grid of blocks of 128 threads, as many as are to be resident, a multiple of `sharing`.
// measures  bytes per second that the L2 cache delivers, by the bytes that are read again and again; the loads bypass
//           the L1 cache.
// expected  requests of 16 sectors.

constexpr int LOADS = 4;

extern "C" __global__ void __launch_bounds__(128)
    readCache(const int4* __restrict__ data, int* __restrict__ sums, int groups, int turns, int sharing) {
    const int t = blockIdx.x / sharing * blockDim.x + threadIdx.x, threads = gridDim.x / sharing * blockDim.x;
    int first = t % groups, total = 0, offset[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) offset[k] = k * threads % groups;
    const int advance = LOADS * threads % groups;
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
        int4 loaded[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            const int group = first + offset[k];
            loaded[k] = __ldcg(&data[group < groups ? group : group - groups]);
        }
#pragma unroll
        for (int k = 0; k < LOADS; ++k) total += loaded[k].x + loaded[k].y + loaded[k].z + loaded[k].w;
        first += advance;
        if (first >= groups) first -= groups;
    }
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) total += __shfl_xor_sync(0xffffffff, total, mask);
    if (threadIdx.x % 32 == 0) sums[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = total;
}
