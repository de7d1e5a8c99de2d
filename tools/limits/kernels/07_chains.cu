// out[t] = the sum of CHAINS values x_k, initially k, after STEPS turns steps x = x + 1.
//
// shapes    out: (threads of the grid); elapsed: (2), cycles of the last block, and 0
// launch    a one-dimensional grid of blocks of up to 1024 threads, as many as can be resident; a and b are not used.
// measures  instructions per clock per scheduler if each instruction depends on the CHAINS-th before it, as a function
//           of the warps per scheduler and the independent chains per warp. The addition of a constant reads one
//           register; an instruction that reads three is also limited by the register ports (see 01_fma.cu).
// expected  CHAINS STEPS additions per turn, and three instructions of loop overhead.

constexpr int STEPS = 32;

template <int CHAINS>
__device__ __forceinline__ void add_chains(float* out, long long* elapsed, int turns) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x[CHAINS];
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) x[k] = k;
    __syncthreads();  // the warps of a block start together, and the clock is read after all have ended
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
#pragma unroll
            for (int k = 0; k < CHAINS; ++k) x[k] += 1;
        }
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) sum += x[k];
    out[t] = sum;
    __syncthreads();
    if (t == gridDim.x * blockDim.x - 1) {
        elapsed[0] = clock64() - begin;
        elapsed[1] = 0;
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    addChains1(float* __restrict__ out, long long* __restrict__ elapsed, float, float, int turns) {
    add_chains<1>(out, elapsed, turns);
}

extern "C" __global__ void __launch_bounds__(1024)
    addChains2(float* __restrict__ out, long long* __restrict__ elapsed, float, float, int turns) {
    add_chains<2>(out, elapsed, turns);
}

extern "C" __global__ void __launch_bounds__(1024)
    addChains4(float* __restrict__ out, long long* __restrict__ elapsed, float, float, int turns) {
    add_chains<4>(out, elapsed, turns);
}

extern "C" __global__ void __launch_bounds__(1024)
    addChains8(float* __restrict__ out, long long* __restrict__ elapsed, float, float, int turns) {
    add_chains<8>(out, elapsed, turns);
}
