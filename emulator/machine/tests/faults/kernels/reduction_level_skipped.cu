// Levels are selected by `blockDim.x > 64` instead of `>=`, so that a block of exactly 64 threads skips one. All
// accesses are valid; only a comparison of the result reveals the error.
//
// source    tutorial C, dynamic shared memory
// launch    --grid 2 --block 64 --shared 256 --arg i32[128]=1 --arg i32[2]
// fixed     `>=`

extern "C" __global__ void faulty(const int* in, int* partials) {
    extern __shared__ int tree[];
    const int t = threadIdx.x;
    tree[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (blockDim.x > 128 && t < 64) tree[t] += tree[t + 64];
    __syncthreads();
    if (blockDim.x > 64 && t < 32) tree[t] += tree[t + 32];
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0) partials[blockIdx.x] = tree[0];
}

extern "C" __global__ void fixed(const int* in, int* partials) {
    extern __shared__ int tree[];
    const int t = threadIdx.x;
    tree[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (blockDim.x >= 128 && t < 64) tree[t] += tree[t + 64];
    __syncthreads();
    if (blockDim.x >= 64 && t < 32) tree[t] += tree[t + 32];
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0) partials[blockIdx.x] = tree[0];
}

// cargo x check:
//   faulty: clean (memcheck, initcheck, racecheck, synccheck), 2 blocks of 64
