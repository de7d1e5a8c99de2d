// out[t] = the sum of CHAINS values x_k, each k at first and x = x a + b STEPS turns times; cycles = those of thread 0.
//
// shapes    out: (threads of the grid); cycles: (1)
// launch    one row of blocks; a = b = 1, so that each x counts its steps.
// measures  multiplications with an addition per second, in single precision.
// expected  CHAINS STEPS of them per turn, and three instructions of the loop.

constexpr int CHAINS = 8;  // more than a multiprocessor takes for one result
constexpr int STEPS = 32;

extern "C" __global__ void __launch_bounds__(256)
    fmaRate(float* __restrict__ out, long long* __restrict__ cycles, float a, float b, int turns) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const long long begin = clock64();
    float x[CHAINS];
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) x[k] = k;
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
    if (t == 0) *cycles = clock64() - begin;
}
