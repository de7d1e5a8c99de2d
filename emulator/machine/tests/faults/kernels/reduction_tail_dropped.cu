// A thread adds its four elements only if the last of them is in range: if n is not a multiple of four blocks, the
// remainder is lost. Every access is valid; only a comparison of the result reveals the error.
//
// source    tutorial C, unrolled versions
// launch    --grid 1 --block 32 --arg i32[100]=1 --arg i32[1] --arg i32=100
// fixed     each element is checked separately

extern "C" __global__ void faulty(const int* in, int* total, int n) {
    const int i = 4 * blockIdx.x * 32 + threadIdx.x;
    int sum = 0;
    if (i + 3 * 32 < n) sum = in[i] + in[i + 32] + in[i + 64] + in[i + 96];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0) total[blockIdx.x] = sum;
}

extern "C" __global__ void fixed(const int* in, int* total, int n) {
    const int i = 4 * blockIdx.x * 32 + threadIdx.x;
    int sum = 0;
    for (int k = i; k < i + 4 * 32; k += 32) sum += k < n ? in[k] : 0;
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0) total[blockIdx.x] = sum;
}

// cargo x check:
//   faulty: clean (memcheck, initcheck, racecheck, synccheck), 1 block of 32
