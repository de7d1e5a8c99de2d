// out[t] = the sum of FLOATS values x_k, initially k, after STEPS turns steps x = x + 1, and the low byte of WORDS
// words, each combined with the next in every step.
//
// shapes    out: (threads of the grid); elapsed: (2), cycles and nanoseconds of the last thread
// launch    a one-dimensional grid; a = 1, b is not used.
// measures  instructions issued per second, of any kind: two single-precision instructions for each integer
//           instruction, so that only the schedulers are saturated. None reads more than two registers, which a
//           multiprocessor can read per instruction.
// expected  (FLOATS + WORDS) STEPS instructions per turn, and three of loop overhead.

constexpr int FLOATS = 8;
constexpr int WORDS = 4;
constexpr int STEPS = 32;

// The device's global timer in nanoseconds; its resolution is below a microsecond.
__device__ __forceinline__ long long nanoseconds() {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// word ^ other, hidden from the compiler, which would detect that values recur.
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
    for (int k = 0; k < WORDS; ++k) word[k] = k + 1 + 256 * t;  // different in each lane
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
