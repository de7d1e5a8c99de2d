// Blocks that wait for other blocks, which hardware promises to those that are resident.

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

// Each block waits for the next, the last for none.
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

// Waits for a later block and counts how often it looks: it never is as it was before.
extern "C" __global__ void waitAndCount(int* out, volatile int* flag) {
    if (blockIdx.x + 1 == gridDim.x) *flag = 1;
    int looks = 1;
    while (*flag == 0) ++looks;
    out[blockIdx.x] = looks > 0;
}

// Waits for a later block and changes memory all the time.
extern "C" __global__ void waitBusily(int* out, volatile int* flag) {
    if (blockIdx.x + 1 == gridDim.x) *flag = 1;
    int looks = 0;
    do looks = atomicAdd(&out[gridDim.x], 1);
    while (*flag == 0);
    out[blockIdx.x] = looks >= 0;
}

// Takes tickets and enters in their order.
extern "C" __global__ void enterInOrder(int* out, int* ticket, volatile int* serving) {
    int mine = atomicAdd(ticket, 1);
    while (*serving != mine);
    __threadfence();
    *(volatile int*)out = *(volatile int*)out * 3 + mine;
    __threadfence();
    *serving = mine + 1;
}

// All threads wait, by what one of them reads.
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

// Runs round a loop without end that reads nothing.
extern "C" __global__ void runForEver(int* out) {
    for (;;) asm volatile("" ::: "memory");
    *out = 1;
}

// Waits as long as its clock says, which is no wait for another.
extern "C" __global__ void waitForClock(int* out, volatile int* flag) {
    long long begin = clock64();
    while (*flag == 0 && clock64() - begin < 2000000);
    out[blockIdx.x] = *flag + 7;
}
