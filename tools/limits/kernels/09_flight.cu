// sums[w] = the sum of the elements of data that warp w reads, in int32 modulo 2^32.
//
// shapes    data: (groups) of int4; sums: (warps of the grid)
// launch    a one-dimensional grid of blocks of 128 threads, as many as are to be resident; groups a multiple of LOADS
//           threads of the grid.
// measures  bytes read per second as a function of the bytes in flight: a warp issues LOADS requests of 512 bytes and
//           waits for all of them before it issues the next.
// expected  requests of 16 sectors.

template <int LOADS>
__device__ __forceinline__ void read_flight(const int4* data, int* sums, int groups) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    int total = 0;
#pragma unroll 1
    for (int first = t; first < groups; first += LOADS * threads) {
        int4 loaded[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) loaded[k] = data[first + k * threads];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) total += loaded[k].x + loaded[k].y + loaded[k].z + loaded[k].w;
    }
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) total += __shfl_xor_sync(0xffffffff, total, mask);
    if (threadIdx.x % 32 == 0) sums[t / 32] = total;
}

extern "C" __global__ void __launch_bounds__(128)
    readFlight1(const int4* __restrict__ data, int* __restrict__ sums, int groups) {
    read_flight<1>(data, sums, groups);
}

extern "C" __global__ void __launch_bounds__(128)
    readFlight2(const int4* __restrict__ data, int* __restrict__ sums, int groups) {
    read_flight<2>(data, sums, groups);
}

extern "C" __global__ void __launch_bounds__(128)
    readFlight4(const int4* __restrict__ data, int* __restrict__ sums, int groups) {
    read_flight<4>(data, sums, groups);
}
