// at[0] = the element that is STEPS turns links after at[0] in next, a list in one circle.
//
// shapes    next: (count), each element the index of its successor; at: (1); elapsed: (1), cycles
// launch    one warp: all lanes follow the same links, so that a load is 1 request of 1 sector.
// measures  clocks from a load to the instruction that needs what it loads: of the L1 cache, the L2 cache or memory by the
//           size of next; of shared memory, into which chaseShared copies SHARED elements first. chainShuffle and chainRoot
//           do the same for a shuffle and for the special-function unit.
// expected  STEPS dependent instructions per turn, and three of the loop.

constexpr int STEPS = 16;
constexpr int SHARED = 1024;

extern "C" __global__ void __launch_bounds__(32) chaseGlobal(const int* next, int* at, long long* elapsed, int turns) {
    int here = at[0];
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) here = next[here];
    }
    at[0] = here;  // the last load has arrived
    elapsed[0] = clock64() - begin;
}

extern "C" __global__ void __launch_bounds__(32) chaseShared(const int* next, int* at, long long* elapsed, int turns) {
    __shared__ int links[SHARED];
    for (int k = threadIdx.x; k < SHARED; k += 32) links[k] = next[k];
    __syncthreads();
    int here = at[0];
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) here = links[here];
    }
    at[0] = here;
    elapsed[0] = clock64() - begin;
}

// Each shuffle takes from the lane that its own value names, which is this lane's link; at[0] counts nothing here.
extern "C" __global__ void __launch_bounds__(32) chainShuffle(const int* next, int* at, long long* elapsed, int turns) {
    const int link = next[threadIdx.x] % 32;
    int here = at[0];
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) here = __shfl_sync(0xffffffff, link, here);
    }
    if (threadIdx.x == 0) at[0] = here;
    elapsed[0] = clock64() - begin;
}

// x = 1/sqrt(x), which ends at 1; at[0] becomes 1 if it does, else 0.
extern "C" __global__ void __launch_bounds__(32) chainRoot(const int* next, int* at, long long* elapsed, int turns) {
    float x = 2.0f + next[0];
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
    }
    at[0] = fabsf(x - 1) < 1e-3f;
    elapsed[0] = clock64() - begin;
}
