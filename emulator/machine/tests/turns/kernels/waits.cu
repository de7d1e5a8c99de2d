// Blocks that wait for other blocks, whose progress the hardware guarantees if they are resident.

// Every block waits for all others.
extern "C" __global__ void waitForAll(int* out, volatile int* arrived) {
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd((int*)arrived, 1);
        while (*arrived < (int)gridDim.x);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = *arrived;
}

// Each block waits for the next; the last waits for none.
extern "C" __global__ void waitForNext(int* out, volatile int* flags) {
    if (threadIdx.x != 0) return;
    int next = 0;
    if (blockIdx.x + 1 < gridDim.x) {
        while ((next = flags[blockIdx.x + 1]) == 0);
        __threadfence();
        next = ((volatile int*)out)[blockIdx.x + 1];
    }
    out[blockIdx.x] = next + 1;
    __threadfence();
    flags[blockIdx.x] = 1;
}

// Waits for a later block and counts its polls, so that its state never recurs.
extern "C" __global__ void waitAndCount(int* out, volatile int* flag) {
    if (blockIdx.x + 1 == gridDim.x) *flag = 1;
    int looks = 1;
    while (*flag == 0) ++looks;
    out[blockIdx.x] = looks > 0;
}

// Waits for a later block and keeps changing memory.
extern "C" __global__ void waitBusily(int* out, volatile int* flag) {
    if (blockIdx.x + 1 == gridDim.x) *flag = 1;
    int looks = 0;
    do looks = atomicAdd(&out[gridDim.x], 1);
    while (*flag == 0);
    out[blockIdx.x] = looks >= 0;
}

// Takes a ticket and enters in the order of the tickets.
extern "C" __global__ void enterInOrder(int* out, int* ticket, volatile int* serving) {
    int mine = atomicAdd(ticket, 1);
    while (*serving != mine);
    __threadfence();
    *(volatile int*)out = *(volatile int*)out * 3 + mine;
    __threadfence();
    *serving = mine + 1;
}

// All threads wait for a flag that one of them polls.
extern "C" __global__ void waitTogether(int* out, volatile int* flag) {
    __shared__ int seen;
    do {
        if (threadIdx.x == 0) seen = *flag;
        __syncthreads();
        if (seen != 0) break;
        __syncthreads();
    } while (true);
    out[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}

// Executes an infinite loop that reads nothing.
extern "C" __global__ void runForEver(int* out) {
    for (;;) asm volatile("" ::: "memory");
    *out = 1;
}

// Waits until its clock reaches a limit; it does not depend on another block.
extern "C" __global__ void waitForClock(int* out, volatile int* flag) {
    long long begin = clock64();
    while (*flag == 0 && clock64() - begin < 2000000);
    out[blockIdx.x] = *flag + 7;
}
