// Mbarriers at which one lane arrives for its warp.
#define INIT(COUNT)                                                                                                  \
    __shared__ unsigned long long bar;                                                                               \
    __shared__ int tile[32];                                                                                         \
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar);                                                           \
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(COUNT) : "memory");        \
    __syncthreads()
__device__ void arrive(unsigned b) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(b) : "memory");
}
__device__ void wait(unsigned b, int parity) {
    asm volatile(
        "{ .reg .pred p; AGAIN_%=: mbarrier.test_wait.parity.shared.b64 p, [%0], %1; @!p bra AGAIN_%=; }" ::"r"(b), "r"(parity)
        : "memory");
}

// launch elected clean --grid 1 --block 64 --arg i32[32]
extern "C" __global__ void elected(int* out) {
    INIT(1);
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = threadIdx.x;
        __syncwarp();
        if (threadIdx.x == 0) arrive(b);
    } else {
        wait(b, 0);
        out[threadIdx.x - 32] = tile[63 - threadIdx.x];
    }
}

// launch elected_without_syncwarp racecheck --grid 1 --block 64 --arg i32[32]
extern "C" __global__ void elected_without_syncwarp(int* out) {
    INIT(1);
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = threadIdx.x;
        if (threadIdx.x == 0) arrive(b);
    } else {
        wait(b, 0);
        out[threadIdx.x - 32] = tile[63 - threadIdx.x];
    }
}

// launch stored_after_syncwarp racecheck --grid 1 --block 64 --arg i32[32]
extern "C" __global__ void stored_after_syncwarp(int* out) {
    INIT(1);
    if (threadIdx.x < 32) {
        __syncwarp();
        tile[threadIdx.x] = threadIdx.x;
        if (threadIdx.x == 0) arrive(b);
    } else {
        wait(b, 0);
        out[threadIdx.x - 32] = tile[63 - threadIdx.x];
    }
}

// launch without_wait racecheck --grid 1 --block 64 --arg i32[32]
extern "C" __global__ void without_wait(int* out) {
    INIT(1);
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = threadIdx.x;
        __syncwarp();
        if (threadIdx.x == 0) arrive(b);
    } else {
        out[threadIdx.x - 32] = tile[63 - threadIdx.x];
    }
}

// The block has met at barriers before: what follows them is not ordered by them.
// launch after_barriers racecheck --grid 1 --block 64 --arg i32[32]
extern "C" __global__ void after_barriers(int* out) {
    for (int i = 0; i < 8; i++) __syncthreads();
    INIT(1);
    if (threadIdx.x == 0) arrive(b);
    wait(b, 0);
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = threadIdx.x;
    } else {
        out[threadIdx.x - 32] = tile[63 - threadIdx.x];
    }
}

// launch initialized_after_barriers racecheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void initialized_after_barriers(int* out) {
    __shared__ unsigned long long bar;
    __shared__ int tile[32];
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
    for (int i = 0; i < 8; i++) __syncthreads();
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b) : "memory");
    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[31 - threadIdx.x];
}

// launch in_turns clean --grid 1 --block 64 --arg i32[32]
extern "C" __global__ void in_turns(int* out) {
    __shared__ unsigned long long empty;
    unsigned e = (unsigned)__cvta_generic_to_shared(&empty);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(e) : "memory");
    INIT(1);
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x < 32) {
            if (i > 0) wait(e, (i - 1) & 1);
            tile[threadIdx.x] = threadIdx.x + i;
            __syncwarp();
            if (threadIdx.x == 0) arrive(b);
        } else {
            wait(b, i & 1);
            out[threadIdx.x - 32] = tile[63 - threadIdx.x];
            __syncwarp();
            if (threadIdx.x == 32) arrive(e);
        }
    }
}
