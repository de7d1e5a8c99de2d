// out[t] = the sum of CHAINS values x_k, initially (a + k) / CHAINS, after STEPS turns steps x = f(x): f(x) = 1 /
// sqrt(x), which converges to 1, or f(x) = 2^-x, which converges to 0.6411857.
//
// shapes    out: (threads of the grid); elapsed: (2), cycles and nanoseconds of the last thread
// launch    a one-dimensional grid; a = 1, b is not used.
// measures  results of the special-function unit per second.
// expected  CHAINS STEPS results per turn, and three instructions of loop overhead.

constexpr int CHAINS = 8;
constexpr int STEPS = 32;

// The device's global timer in nanoseconds; its resolution is below a microsecond.
__device__ __forceinline__ long long nanoseconds() {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

struct Root {
    __device__ __forceinline__ float operator()(float x) const {
        float root;
        asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
        return root;
    }
};

struct Power {
    // in machine code the negation is part of the instruction
    __device__ __forceinline__ float operator()(float x) const {
        float power;
        asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-x));
        return power;
    }
};

template <typename F>
__device__ __forceinline__ void special_rate(float* out, long long* elapsed, float a, int turns) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const long long began_at = nanoseconds(), begin = clock64();
    float x[CHAINS];
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) x[k] = (a + k) / CHAINS;
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
#pragma unroll
            for (int k = 0; k < CHAINS; ++k) x[k] = F()(x[k]);
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
    rootRate(float* __restrict__ out, long long* __restrict__ elapsed, float a, float, int turns) {
    special_rate<Root>(out, elapsed, a, turns);
}

extern "C" __global__ void __launch_bounds__(256)
    powerRate(float* __restrict__ out, long long* __restrict__ elapsed, float a, float, int turns) {
    special_rate<Power>(out, elapsed, a, turns);
}
