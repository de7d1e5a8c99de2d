// out[t] = the sum of CHAINS values x_k, initially k, after STEPS turns steps x = x a + b.
//
// shapes    out: (threads of the grid); elapsed: (2), cycles and nanoseconds of the last thread
// launch    a one-dimensional grid; a = b = 1, so that each x counts its steps.
// measures  single-precision fused multiply-adds per second: fmaRate uses the same a and b throughout, which the unit
//           reuses from one instruction to the next; registerRate has a different factor and addend in each chain, so
//           that each instruction reads three registers.
// expected  CHAINS STEPS multiply-adds per turn, and three instructions of loop overhead.

constexpr int CHAINS = 8;  // more than the latency of one operation needs
constexpr int STEPS = 32;

// The device's global timer in nanoseconds; its resolution is below a microsecond.
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
        // all 1; the compiler can prove neither that nor that they are equal in all lanes
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
