// Adds 1, turns times by each thread, to one of count cells that a hash of the thread and the turn chooses. leadIntegers and
// leadFloats: by the first lane of each warp, to the first cell.
//
// shapes    cells: (count), zeroed before
// launch    a one-dimensional grid of blocks of 1024 threads, as many as are resident; count a power of two, at most 4096
//           in shared memory.
// measures  atomic additions of warps per second, by the number of cells: of integers, in global or in shared memory.
// expected  one request per warp and turn.

constexpr int BLOCK = 1024;
constexpr int MOST = 4096;

__device__ __forceinline__ unsigned int chosen(int turn, int count) {
    unsigned int x = (blockIdx.x * BLOCK + threadIdx.x) * 0x9e3779b9u + turn * 0x85ebca6bu;
    x = (x ^ x >> 16) * 0x7feb352du;
    return (x ^ x >> 15) & (count - 1);
}

extern "C" __global__ void __launch_bounds__(BLOCK) scatterGlobal(int* __restrict__ cells, int count, int turns) {
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) atomicAdd(&cells[chosen(turn, count)], 1);
}

extern "C" __global__ void __launch_bounds__(BLOCK) scatterShared(int* __restrict__ cells, int count, int turns) {
    __shared__ int own[MOST];
    for (int c = threadIdx.x; c < count; c += BLOCK) own[c] = 0;
    __syncthreads();  // all cells are 0
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) atomicAdd(&own[chosen(turn, count)], 1);
    __syncthreads();  // all warps have added
    for (int c = threadIdx.x; c < count; c += BLOCK) atomicAdd(&cells[c], own[c]);
}

// One lane of each warp adds to the first cell.
extern "C" __global__ void __launch_bounds__(BLOCK) leadIntegers(int* __restrict__ cells, int count, int turns) {
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
        if (threadIdx.x % 32 == 0) atomicAdd(cells, 1);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) leadFloats(float* __restrict__ cells, int count, int turns) {
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
        if (threadIdx.x % 32 == 0) atomicAdd(cells, 1.0f);
    }
}
