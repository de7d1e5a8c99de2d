// out[t] = the sum of CHAINS values x_k, each k at first and x = x a + b STEPS turns times.
//
// shapes    out: (threads of the grid); elapsed: (2), cycles and nanoseconds of the last thread
// launch    one row of blocks; a = b = 1, so that each x counts its steps.
// measures  multiplications with an addition per second, in single precision: fmaRate with the same a and b for all, which
//           the unit keeps from one instruction to the next; registerRate with factors and terms of each chain's own, so
//           that each instruction reads three registers.
// expected  CHAINS STEPS of them per turn, and three instructions of the loop.

constexpr int CHAINS = 8;  // more than a multiprocessor takes for one result
constexpr int STEPS = 32;

// The device's own time; its steps are below a microsecond.
__device__ __forceinline__ long long nanoseconds() {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

template <bool OWN>
__device__ __forceinline__ void fma_rate(float* out, long long* elapsed, float a, float b, int turns) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const long long began_at = nanoseconds(), begin = clock64();
    float x[CHAINS], factor[CHAINS], term[CHAINS];
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) {
        x[k] = k;
        // all 1, which the compiler cannot know, nor that it is the same for all lanes
        factor[k] = OWN ? b - (a - 1) * (t + k + 2) : a;
        term[k] = OWN ? a - (b - 1) * (t + k + 3) : b;
    }
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
#pragma unroll
            for (int k = 0; k < CHAINS; ++k) x[k] = fmaf(x[k], factor[k], term[k]);
        }
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) sum += x[k];
    out[t] = sum;
    if (t == gridDim.x * blockDim.x - 1) {
        elapsed[0] = clock64() - begin;
        elapsed[1] = nanoseconds() - began_at;
    }
}

extern "C" __global__ void __launch_bounds__(256)
    fmaRate(float* __restrict__ out, long long* __restrict__ elapsed, float a, float b, int turns) {
    fma_rate<false>(out, elapsed, a, b, turns);
}

extern "C" __global__ void __launch_bounds__(256)
    registerRate(float* __restrict__ out, long long* __restrict__ elapsed, float a, float b, int turns) {
    fma_rate<true>(out, elapsed, a, b, turns);
}
