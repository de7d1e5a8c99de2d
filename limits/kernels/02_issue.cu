// out[t] = the sum of FLOATS values x_k, each k at first and x = x + 1 STEPS turns times, and the low byte of WORDS words, each
// mixed with the next as often.
//
// shapes    out: (threads of the grid); elapsed: (2), cycles and nanoseconds of the last thread
// launch    one row of blocks; a = 1, b is not used.
// measures  instructions per second, whatever they do: two of single precision for each of integers, so that no unit but
//           the schedulers has as many as it can take. None reads more than two registers, and a multiprocessor can read
//           as many per instruction.
// expected  (FLOATS + WORDS) STEPS instructions per turn, and three of the loop.

constexpr int FLOATS = 8;
constexpr int WORDS = 4;
constexpr int STEPS = 32;

// The device's own time; its steps are below a microsecond.
__device__ __forceinline__ long long nanoseconds() {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// word ^ other, where the compiler cannot see it: it would find words that come back.
__device__ __forceinline__ unsigned int mixed(unsigned int word, unsigned int other) {
    unsigned int result;
    asm("lop3.b32 %0, %1, %2, 0, 0x3c;" : "=r"(result) : "r"(word), "r"(other));
    return result;
}

extern "C" __global__ void __launch_bounds__(256)
    issueRate(float* __restrict__ out, long long* __restrict__ elapsed, float a, float, int turns) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const long long began_at = nanoseconds(), begin = clock64();
    float x[FLOATS];
    unsigned int word[WORDS];
#pragma unroll
    for (int k = 0; k < FLOATS; ++k) x[k] = a + (k - 1);
#pragma unroll
    for (int k = 0; k < WORDS; ++k) word[k] = k + 1 + 256 * t;  // a value of each lane's own
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
#pragma unroll
            for (int k = 0; k < WORDS; ++k) {
                x[2 * k] += 1;
                word[k] = mixed(word[k], word[(k + 1) % WORDS]);
                x[2 * k + 1] += 1;
            }
        }
    }
    float sum = 0;
    unsigned int all = 0;
#pragma unroll
    for (int k = 0; k < FLOATS; ++k) sum += x[k];
#pragma unroll
    for (int k = 0; k < WORDS; ++k) all ^= word[k];
    out[t] = sum + (float)(all % 256);
    if (t == gridDim.x * blockDim.x - 1) {
        elapsed[0] = clock64() - begin;
        elapsed[1] = nanoseconds() - began_at;
    }
}
