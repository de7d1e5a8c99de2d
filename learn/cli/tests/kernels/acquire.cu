// What a thread reads after it has seen a flag.

// launch volatile_without_fence racecheck --grid 2 --block 1 --arg i32[2]=0 --arg i32[1]
extern "C" __global__ void volatile_without_fence(int* x, int* out) {
    volatile int* ready = x + 1;
    if (blockIdx.x == 0) {
        x[0] = 5;
        __threadfence();
        *ready = 1;
    } else {
        while (!*ready) {
        }
        *out = x[0];
    }
}

// launch volatile_with_fence clean --grid 2 --block 1 --arg i32[2]=0 --arg i32[1]
extern "C" __global__ void volatile_with_fence(int* x, int* out) {
    volatile int* ready = x + 1;
    if (blockIdx.x == 0) {
        x[0] = 5;
        __threadfence();
        *ready = 1;
    } else {
        while (!*ready) {
        }
        __threadfence();
        *out = x[0];
    }
}

__device__ int load_relaxed(const int* flag) {
    int seen;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    return seen;
}
__device__ int load_acquire(const int* flag) {
    int seen;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    return seen;
}
__device__ void store_release(int* flag, int value) {
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

// launch chain_by_relaxed_loads racecheck --grid 4 --block 1 --arg i32[4]=0 --arg f32[4]=1
extern "C" __global__ void chain_by_relaxed_loads(int* ready, float* sums) {
    const int b = blockIdx.x;
    if (b > 0) {
        while (!load_relaxed(ready + b - 1)) {
        }
        sums[b] += sums[b - 1];
    }
    store_release(ready + b, 1);
}

// launch chain_by_acquire clean --grid 4 --block 1 --arg i32[4]=0 --arg f32[4]=1
extern "C" __global__ void chain_by_acquire(int* ready, float* sums) {
    const int b = blockIdx.x;
    if (b > 0) {
        while (!load_acquire(ready + b - 1)) {
        }
        sums[b] += sums[b - 1];
    }
    store_release(ready + b, 1);
}

// launch chain_by_fences clean --grid 4 --block 1 --arg i32[4]=0 --arg f32[4]=1
extern "C" __global__ void chain_by_fences(int* ready, float* sums) {
    const int b = blockIdx.x;
    if (b > 0) {
        while (!load_relaxed(ready + b - 1)) {
        }
        __threadfence();
        sums[b] += sums[b - 1];
    }
    __threadfence();
    *(volatile int*)(ready + b) = 1;
}

__device__ int sum_of_warp(int value) {
    for (int other = 16; other > 0; other /= 2) value += __shfl_xor_sync(~0u, value, other);
    return value;
}

// Each lane looks at the block of another distance.
// launch look_back clean --grid 4 --block 32 --arg i32[4]=0 --arg i32[4]=0 --arg i32[4]=0 --arg i32[128]=1 --arg i32[4]
extern "C" __global__ void look_back(int* states, int* aggregates, int* prefixes, const int* in, int* out) {
    const int b = blockIdx.x, lane = threadIdx.x;
    const int sum = sum_of_warp(in[32 * b + lane]);
    if (lane == 0) {
        aggregates[b] = sum;
        store_release(states + b, 1);
    }
    int before = 0;
    const int other = b - 1 - lane;
    if (other >= 0) {
        while (load_acquire(states + other) == 0) {
        }
        before = aggregates[other];
    }
    before = sum_of_warp(before);
    if (lane == 0) {
        prefixes[b] = before + sum;
        out[b] = before;
    }
}

// launch thread_and_barrier clean --grid 2 --block 64 --arg i32[66]=0 --arg i32[64]
extern "C" __global__ void thread_and_barrier(int* x, int* out) {
    volatile int* ready = x + 64;
    if (blockIdx.x == 0) {
        x[threadIdx.x] = threadIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) *ready = 1;
    } else {
        if (threadIdx.x == 0)
            while (!*ready) {
            }
        __syncthreads();
        out[threadIdx.x] = x[threadIdx.x];
    }
}

// launch in_shared_without_fence racecheck --grid 1 --block 64 --arg i32[1]=5 --arg i32[1]
extern "C" __global__ void in_shared_without_fence(const int* in, int* out) {
    __shared__ int value;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = *in;
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x == 32) {
        while (!ready) {
        }
        *out = value;
    }
}

// launch spin_lock clean --grid 4 --block 1 --arg i32[2]=0
extern "C" __global__ void spin_lock(int* x) {
    while (atomicCAS(x, 0, 1)) {
    }
    x[1]++;
    __threadfence();
    atomicExch(x, 0);
}
