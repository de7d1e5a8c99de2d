// at[0] = the element that is STEPS turns links after at[0] in next, a circular linked list.
//
// shapes    next: (count), each element the index of its successor; at: (1); elapsed: (1), cycles
// launch    one warp: all lanes follow the same links, so that a load is 1 request of 1 sector.
// measures  latency: clocks from a load to the instruction that uses its result. chaseGlobal: of the L1 cache, the L2
//           cache or memory, depending on the size of next. chaseShared: of shared memory, into which it first copies
//           SHARED elements. chainShuffle and chainRoot: of a shuffle and of the special-function unit.
// expected  STEPS dependent instructions per turn, and three of loop overhead.

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
    at[0] = here;  // waits for the last load
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

// Each shuffle reads from the lane that the previous result names; its value is that lane's link. at[0] is only a seed.
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

// x = 1/sqrt(x), which converges to 1; at[0] becomes 1 if it does, else 0.
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
