// Volatile accesses to global memory, by threads of one block.

// launch tree racecheck --grid 1 --block 128 --arg f32[128]=1 --arg f32[1]
extern "C" __global__ void tree(volatile float* x, float* out) {
    const int t = threadIdx.x;
    for (int s = 64; s > 0; s /= 2)
        if (t < s) x[t] += x[t + s];
    if (t == 0) *out = x[0];
}

// launch tree_of_one_warp racecheck --grid 2 --block 32 --arg i32[128]=1 --arg i32[2]
extern "C" __global__ void tree_of_one_warp(int* x, int* out) {
    volatile int* own = x + 64 * blockIdx.x;
    const int t = threadIdx.x;
    own[t] += own[t + 32];
    own[t] += own[t + 16];
    own[t] += own[t + 8];
    own[t] += own[t + 4];
    own[t] += own[t + 2];
    own[t] += own[t + 1];
    if (t == 0) out[blockIdx.x] = own[0];
}

// launch largest racecheck --grid 1 --block 64 --arg i32[64]=index --arg i32[1]
extern "C" __global__ void largest(volatile int* x, int* out) {
    const int t = threadIdx.x;
    for (int s = 32; s > 0; s /= 2)
        if (t < s) x[t] = max(x[t], x[t + s]);
    if (t == 0) *out = x[0];
}

// launch tree_with_barriers clean --grid 1 --block 128 --arg f32[128]=1 --arg f32[1]
extern "C" __global__ void tree_with_barriers(volatile float* x, float* out) {
    const int t = threadIdx.x;
    for (int s = 64; s > 0; s /= 2) {
        if (t < s) x[t] += x[t + s];
        __syncthreads();
    }
    if (t == 0) *out = x[0];
}

// launch warp_with_syncwarp clean --grid 1 --block 32 --arg i32[64]=1 --arg i32[1]
extern "C" __global__ void warp_with_syncwarp(volatile int* x, int* out) {
    const int t = threadIdx.x;
    int sum = x[t] + x[t + 32];
    for (int s = 16; s > 0; s /= 2) {
        __syncwarp();
        x[t] = sum;
        __syncwarp();
        sum += x[t + s];
    }
    if (t == 0) *out = sum;
}

// launch own_words clean --grid 2 --block 64 --arg f32[128]=1
extern "C" __global__ void own_words(volatile float* x) {
    for (int i = 0; i < 4; i++) x[blockIdx.x * 64 + threadIdx.x] += 1;
}

// launch flag clean --grid 1 --block 64 --arg i32[2]=0 --arg i32[1]
extern "C" __global__ void flag(int* x, int* out) {
    volatile int* ready = x + 1;
    if (threadIdx.x == 0) {
        x[0] = 5;
        __threadfence();
        *ready = 1;
    }
    if (threadIdx.x == 32) {
        while (!*ready) {
        }
        __threadfence();
        *out = x[0];
    }
}

// launch value_behind_a_flag clean --grid 1 --block 64 --arg i32[2]=0 --arg i32[1]
extern "C" __global__ void value_behind_a_flag(volatile int* x, int* out) {
    if (threadIdx.x == 0) {
        x[0] = 5;
        __threadfence();
        x[1] = 1;
    }
    if (threadIdx.x == 32) {
        while (!x[1]) {
        }
        *out = x[0];
    }
}

// launch value_with_its_flag clean --grid 1 --block 64 --arg u64[1]=0 --arg u32[1]
extern "C" __global__ void value_with_its_flag(volatile unsigned long long* x, unsigned* out) {
    if (threadIdx.x == 0) *x = 5ull << 32 | 1;
    if (threadIdx.x == 32) {
        unsigned long long seen;
        while (((seen = *x) & 1) == 0) {
        }
        *out = seen >> 32;
    }
}

// launch early_end clean --grid 1 --block 128 --arg i32[128]=index --arg i32[1]=0
extern "C" __global__ void early_end(const int* in, volatile int* found) {
    for (int i = 0; i < 4 && !*found; i++)
        if (in[threadIdx.x] == 40 + i) *found = 1;
}

// launch sums_of_blocks clean --grid 4 --block 64 --arg i32[4] --arg i32[1]=0 --arg i32[1]
extern "C" __global__ void sums_of_blocks(volatile int* sums, unsigned* count, int* out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = blockIdx.x;
        __threadfence();
        is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 32) *out = sums[0] + sums[1] + sums[2] + sums[3];
}
