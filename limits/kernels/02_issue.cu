// out[t] = the sum of FLOATS values x_k, as 01 makes them, and the low byte of WORDS words, each mixed with the next.
//
// shapes    out: (threads of the grid); cycles: (1)
// launch    one row of blocks; a = b = 1.
// measures  instructions per second, whatever they do: two of single precision for each of integers, so that no unit but
//           the schedulers has as many as it can take.
// expected  (FLOATS + WORDS) STEPS instructions per turn, and three of the loop.

constexpr int FLOATS = 8;
constexpr int WORDS = 4;
constexpr int STEPS = 32;

// (word & mask) ^ other as one instruction. With another word each time, no two of them can become one.
__device__ __forceinline__ unsigned int mixed(unsigned int word, unsigned int mask, unsigned int other) {
    unsigned int result;
    asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(result) : "r"(word), "r"(mask), "r"(other));
    return result;
}

extern "C" __global__ void __launch_bounds__(256)
    issueRate(float* __restrict__ out, long long* __restrict__ cycles, float a, float b, int turns) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const long long begin = clock64();
    const unsigned int mask = a == 0 ? 0 : 0xffffffff;
    float x[FLOATS];
    unsigned int word[WORDS];
#pragma unroll
    for (int k = 0; k < FLOATS; ++k) x[k] = k;
#pragma unroll
    for (int k = 0; k < WORDS; ++k) word[k] = k + 1;
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
#pragma unroll
            for (int k = 0; k < WORDS; ++k) {
                x[2 * k] = fmaf(x[2 * k], a, b);
                word[k] = mixed(word[k], mask, word[(k + 1) % WORDS]);
                x[2 * k + 1] = fmaf(x[2 * k + 1], a, b);
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
    if (t == 0) *cycles = clock64() - begin;
}
