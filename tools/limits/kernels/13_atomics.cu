// cells[c] += term, turns times by each thread, c being the thread's cell; the cells of a block for shared memory.
//
// shapes    cells: (32 warps of the grid)
// launch    a one-dimensional grid of blocks of 1024 threads, as many as are resident. The lanes of a warp have
//           `addresses` different cells, a power of two; a warp's first cell is apart times the warp's index:
//           apart is 0 for the same cells in all warps, or 32.
// measures  atomic additions per second, by the number of addresses in a warp and in all warps.
// expected  one request per warp and turn.

constexpr int BLOCK = 1024;

template <typename T>
__device__ __forceinline__ void add_global(T* cells, int addresses, int apart, T term, int turns) {
    const int t = blockIdx.x * BLOCK + threadIdx.x;
    T* const cell = cells + t / 32 * apart + t % addresses;
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) atomicAdd(cell, term);
}

template <typename T>
__device__ __forceinline__ void add_shared(T* cells, int addresses, int apart, T term, int turns) {
    __shared__ T own[BLOCK];
    own[threadIdx.x] = 0;
    __syncthreads();  // all cells are 0
    T* const cell = own + threadIdx.x / 32 * apart + threadIdx.x % addresses;
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) atomicAdd(cell, term);
    __syncthreads();  // all warps have added
    cells[blockIdx.x * BLOCK + threadIdx.x] = own[threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    addGlobalFloats(float* __restrict__ cells, int addresses, int apart, float term, int turns) {
    add_global(cells, addresses, apart, term, turns);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    addGlobalIntegers(int* __restrict__ cells, int addresses, int apart, int term, int turns) {
    add_global(cells, addresses, apart, term, turns);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    addSharedFloats(float* __restrict__ cells, int addresses, int apart, float term, int turns) {
    add_shared(cells, addresses, apart, term, turns);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    addSharedIntegers(int* __restrict__ cells, int addresses, int apart, int term, int turns) {
    add_shared(cells, addresses, apart, term, turns);
}
