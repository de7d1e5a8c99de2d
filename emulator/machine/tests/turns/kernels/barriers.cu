// Hand-written grid-wide barriers, correct and faulty. Each step adds what the next block wrote in the previous step.

__device__ void waitFor(int* arrived, int all) {
    while (*(volatile int*)arrived < all);
}

#define STEPS(SYNC)                                                                  \
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x; \
    for (int step = 1; step <= 3; ++step) {                                          \
        int *from = step & 1 ? a : b, *to = step & 1 ? b : a;                        \
        to[i] = from[i] + from[(i + blockDim.x + 1) % n];                            \
        const int all = step * gridDim.x;                                            \
        SYNC                                                                         \
    }

extern "C" __global__ void rightBarrier(int* a, int* b, int* arrived) {
    STEPS({
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1);
            waitFor(arrived, all);
            __threadfence();
        }
        __syncthreads();
    })
}

// The same with release and acquire.
extern "C" __global__ void orderedBarrier(int* a, int* b, int* arrived) {
    STEPS({
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(arrived) : "memory");
            int seen;
            do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
            while (seen < all);
        }
        __syncthreads();
    })
}

// With the workspace of a cooperative launch: its size and a barrier, whose address is in two special registers.
extern "C" __global__ void workspaceBarrier(int* a, int* b, int* arrived) {
    unsigned high, low, before, now;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    unsigned* barrier = (unsigned*)((unsigned long long)high << 32 | low) + 1;
    // The first block adds the remainder to the highest bit, which therefore flips when all blocks have arrived.
    const unsigned mine = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
    STEPS({
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(barrier), "r"(mine) : "memory");
            do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier) : "memory");
            while (((before ^ now) & 0x80000000u) == 0);
        }
        __syncthreads();
    })
}

// Every thread executes its own fence.
extern "C" __global__ void fencesOfAll(int* a, int* b, int* arrived) {
    STEPS({
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1);
            waitFor(arrived, all);
        }
        __syncthreads();
    })
}

extern "C" __global__ void withoutFence(int* a, int* b, int* arrived) {
    STEPS({
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1);
            waitFor(arrived, all);
        }
        __syncthreads();
    })
}

// One thread signals the work of the others before they have finished it.
extern "C" __global__ void withoutFirstBarrier(int* a, int* b, int* arrived) {
    STEPS({
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1);
            waitFor(arrived, all);
            __threadfence();
        }
        __syncthreads();
    })
}

extern "C" __global__ void withoutWait(int* a, int* b, int* arrived) {
    STEPS({
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1);
        }
        __syncthreads();
    })
}

extern "C" __global__ void withoutAnything(int* a, int* b, int* arrived) {
    STEPS({ __syncthreads(); })
}
