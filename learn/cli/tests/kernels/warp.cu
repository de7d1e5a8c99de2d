// Order within a warp: which exchanges of values order memory.
// requires compute capability 8.0

// launch ballot_then_read racecheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void ballot_then_read(int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    unsigned votes = __ballot_sync(~0u, threadIdx.x & 1);
    out[threadIdx.x] = s[31 - threadIdx.x] + votes;
}

// launch any_then_read racecheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void any_then_read(int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    int any = __any_sync(~0u, threadIdx.x > 3);
    out[threadIdx.x] = any ? s[31 - threadIdx.x] : 0;
}

// launch match_then_read racecheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void match_then_read(int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    unsigned same = __match_any_sync(~0u, threadIdx.x / 4);
    out[threadIdx.x] = s[__ffs(same) - 1];
}

// launch redux_then_read racecheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void redux_then_read(int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    int sum = __reduce_add_sync(~0u, threadIdx.x);
    out[threadIdx.x] = s[31 - threadIdx.x] + sum;
}

// launch redux_and_barrier clean --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void redux_and_barrier(int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    int sum = __reduce_add_sync(~0u, threadIdx.x);
    __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x] + sum;
}

// launch scan_by_shuffles clean --grid 1 --block 64 --arg i32[64]=1 --arg i32[64]
extern "C" __global__ void scan_by_shuffles(const int* in, int* out) {
    __shared__ int sums[2];
    const int lane = threadIdx.x % 32;
    int sum = in[threadIdx.x];
    for (int step = 1; step < 32; step *= 2) {
        int left = __shfl_up_sync(~0u, sum, step);
        if (lane >= step) sum += left;
    }
    if (lane == 31) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    out[threadIdx.x] = sum + (threadIdx.x >= 32 ? sums[0] : 0);
}

// launch scan_in_shared racecheck --grid 1 --block 32 --arg i32[32]=1 --arg i32[32]
extern "C" __global__ void scan_in_shared(const int* in, int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = 0;
    s[t + 32] = in[t];
    for (int step = 1; step < 32; step *= 2) {
        int left = s[t + 32 - step];
        __shfl_sync(~0u, left, 0);
        s[t + 32] += left;
    }
    out[t] = s[t + 32];
}

// launch scan_in_shared_with_barriers clean --grid 1 --block 32 --arg i32[32]=1 --arg i32[32]
extern "C" __global__ void scan_in_shared_with_barriers(const int* in, int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = 0;
    s[t + 32] = in[t];
    __syncwarp();
    for (int step = 1; step < 32; step *= 2) {
        int left = s[t + 32 - step];
        __syncwarp();
        s[t + 32] += left;
        __syncwarp();
    }
    out[t] = s[t + 32];
}

// launch global_and_shuffle racecheck --grid 1 --block 32 --arg i32[32] --arg i32[32]
extern "C" __global__ void global_and_shuffle(int* x, int* out) {
    x[threadIdx.x] = threadIdx.x;
    int y = __shfl_xor_sync(~0u, (int)threadIdx.x, 1);
    out[threadIdx.x] = x[31 - threadIdx.x] + y;
}

// launch global_and_barrier clean --grid 1 --block 32 --arg i32[32] --arg i32[32]
extern "C" __global__ void global_and_barrier(int* x, int* out) {
    x[threadIdx.x] = threadIdx.x;
    int y = __shfl_xor_sync(~0u, (int)threadIdx.x, 1);
    __syncwarp();
    out[threadIdx.x] = x[31 - threadIdx.x] + y;
}

// launch fence_and_shuffle clean --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void fence_and_shuffle(int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __threadfence_block();
    int y = __shfl_xor_sync(~0u, (int)threadIdx.x, 1);
    out[threadIdx.x] = s[31 - threadIdx.x] + y;
}

// launch fence_alone racecheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void fence_alone(int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __threadfence_block();
    out[threadIdx.x] = s[31 - threadIdx.x];
}

// launch volatile_tree racecheck --grid 1 --block 32 --arg i32[32]=1 --arg i32[1]
extern "C" __global__ void volatile_tree(const int* in, int* out) {
    __shared__ volatile int s[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = 0;
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
    if (t == 0) *out = s[0];
}

// launch volatile_maximum racecheck --grid 1 --block 32 --arg i32[32]=index --arg i32[2]
extern "C" __global__ void volatile_maximum(const int* in, int* out) {
    __shared__ volatile int s[64], place[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    place[t] = t;
    s[t + 32] = place[t + 32] = 0;
    for (int step = 16; step > 0; step /= 2)
        if (s[t + step] > s[t]) {
            s[t] = s[t + step];
            place[t] = place[t + step];
        }
    if (t == 0) out[0] = s[0], out[1] = place[0];
}

// launch tree_with_barriers clean --grid 1 --block 32 --arg i32[32]=1 --arg i32[1]
extern "C" __global__ void tree_with_barriers(const int* in, int* out) {
    __shared__ volatile int s[64];
    const int t = threadIdx.x;
    int sum = in[t];
    s[t] = sum;
    s[t + 32] = 0;
    for (int step = 16; step > 0; step /= 2) {
        __syncwarp();
        sum += s[t + step];
        __syncwarp();
        s[t] = sum;
    }
    if (t == 0) *out = sum;
}

// launch leader_adds clean --grid 2 --block 64 --arg i32[1]=0 --arg i32[128]
extern "C" __global__ void leader_adds(int* counter, int* out) {
    const unsigned lane = threadIdx.x % 32, votes = __ballot_sync(~0u, lane % 3 == 0);
    int base = 0;
    if (lane == 0) base = atomicAdd(counter, __popc(votes));
    base = __shfl_sync(~0u, base, 0);
    if (lane % 3 == 0) out[base + __popc(votes & ((1u << lane) - 1))] = lane;
}

// launch half_of_a_warp racecheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void half_of_a_warp(int* out) {
    __shared__ int s[32];
    if (threadIdx.x < 16) {
        s[threadIdx.x] = threadIdx.x;
        int y = __shfl_xor_sync(0xffff, (int)threadIdx.x, 1);
        out[threadIdx.x] = s[15 - threadIdx.x] + y;
    }
}

// launch half_with_barrier clean --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void half_with_barrier(int* out) {
    __shared__ int s[32];
    if (threadIdx.x < 16) {
        s[threadIdx.x] = threadIdx.x;
        __syncwarp(0xffff);
        out[threadIdx.x] = s[15 - threadIdx.x];
    }
}
