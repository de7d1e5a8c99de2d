// out[t] = the sum of CHAINS values x_k, each k at first and x = x a + b STEPS turns times.
//
// shapes    out: (threads of the grid); elapsed: (2), cycles of the last thread, and 0
// launch    one row of blocks of up to 1024, as many as the chip holds at a time; a = b = 1, so that each x counts its steps.
// measures  instructions per clock of a scheduler, where each instruction needs the result of the CHAINS-th before it: by how
//           many warps a scheduler has, and how many independent chains each of them.
// expected  CHAINS STEPS multiplications with an addition per turn, and three instructions of the loop.

constexpr int STEPS = 32;

template <int CHAINS>
__device__ __forceinline__ void fma_chains(float* out, long long* elapsed, float a, float b, int turns) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x[CHAINS];
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) x[k] = k;
    __syncthreads();  // the warps of a block begin together
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
#pragma unroll
            for (int k = 0; k < CHAINS; ++k) x[k] = fmaf(x[k], a, b);
        }
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) sum += x[k];
    out[t] = sum;
    if (t == gridDim.x * blockDim.x - 1) {
        elapsed[0] = clock64() - begin;
        elapsed[1] = 0;
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    fmaChains1(float* __restrict__ out, long long* __restrict__ elapsed, float a, float b, int turns) {
    fma_chains<1>(out, elapsed, a, b, turns);
}

extern "C" __global__ void __launch_bounds__(1024)
    fmaChains2(float* __restrict__ out, long long* __restrict__ elapsed, float a, float b, int turns) {
    fma_chains<2>(out, elapsed, a, b, turns);
}

extern "C" __global__ void __launch_bounds__(1024)
    fmaChains4(float* __restrict__ out, long long* __restrict__ elapsed, float a, float b, int turns) {
    fma_chains<4>(out, elapsed, a, b, turns);
}

extern "C" __global__ void __launch_bounds__(1024)
    fmaChains8(float* __restrict__ out, long long* __restrict__ elapsed, float a, float b, int turns) {
    fma_chains<8>(out, elapsed, a, b, turns);
}
