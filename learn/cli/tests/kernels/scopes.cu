// Scopes of atomics, of release and acquire, and of fences; locks.

// What cuda::atomic_ref of a scope makes of its member functions.
#define OPERATIONS(SCOPE)                                                                     \
    __device__ void add_##SCOPE(int* x) {                                                     \
        asm volatile("red.relaxed." #SCOPE ".add.s32 [%0], 1;" ::"l"(x));                     \
    }                                                                                         \
    __device__ void release_##SCOPE(int* x) {                                                 \
        asm volatile("st.release." #SCOPE ".s32 [%0], 1;" ::"l"(x) : "memory");               \
    }                                                                                         \
    __device__ int acquire_##SCOPE(int* x) {                                                  \
        int seen;                                                                             \
        asm volatile("ld.acquire." #SCOPE ".s32 %0, [%1];" : "=r"(seen) : "l"(x) : "memory"); \
        return seen;                                                                          \
    }
OPERATIONS(cta)
OPERATIONS(gpu)

// launch cta_add racecheck --grid 4 --block 32 --arg i32[1]=0
extern "C" __global__ void cta_add(int* total) {
    add_cta(total);
}

// launch device_add clean --grid 4 --block 32 --arg i32[1]=0
extern "C" __global__ void device_add(int* total) {
    add_gpu(total);
}

// launch grid_flag clean --grid 2 --block 32 --arg i32[1]=0 --arg i32[1] --arg i32[1]
extern "C" __global__ void grid_flag(int* flag, int* data, int* out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0)
        *data = 7, release_gpu(flag);
    else {
        while (!acquire_gpu(flag)) {
        }
        *out = *data;
    }
}

// launch block_fence racecheck --grid 2 --block 32 --arg i32[1]=0 --arg i32[1] --arg i32[1]
extern "C" __global__ void block_fence(volatile int* flag, int* data, int* out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        *data = 7;
        __threadfence_block();
        *flag = 1;
    } else {
        while (!*flag) {
        }
        __threadfence_block();
        *out = *data;
    }
}

// launch passed_on clean --grid 2 --block 64 --arg i32[2]=0 --arg i32[1] --arg i32[1]
extern "C" __global__ void passed_on(int* flags, int* data, int* out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *data = 7, release_cta(&flags[0]);
    if (blockIdx.x == 0 && threadIdx.x == 32) {
        while (!acquire_cta(&flags[0])) {
        }
        release_gpu(&flags[1]);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (!acquire_gpu(&flags[1])) {
        }
        *out = *data;
    }
}

// launch lock_with_fences clean --grid 4 --block 32 --arg i32[2]=0
extern "C" __global__ void lock_with_fences(int* x) {
    if (threadIdx.x % 8) return;
    while (atomicCAS(x, 0, 1)) {
    }
    __threadfence();
    x[1] += 1;
    __threadfence();
    atomicExch(x, 0);
}

// launch lock_without_fence racecheck --grid 4 --block 32 --arg i32[2]=0
extern "C" __global__ void lock_without_fence(int* x) {
    if (threadIdx.x) return;
    while (atomicCAS(x, 0, 1)) {
    }
    x[1] += 1;
    atomicExch(x, 0);
}

// launch lock_in_shared clean --grid 2 --block 64 --arg i32[2]
extern "C" __global__ void lock_in_shared(int* out) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0) lock = sum = 0;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            sum += threadIdx.x;
            out[blockIdx.x] = sum;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

// launch lock_in_shared_without_fence racecheck --grid 2 --block 64 --arg i32[2]
extern "C" __global__ void lock_in_shared_without_fence(int* out) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0) lock = sum = 0;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            sum += threadIdx.x;
            out[blockIdx.x] = sum;
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

// launch grid_flag_of_block racecheck --grid 2 --block 32 --arg i32[1]=0 --arg i32[1] --arg i32[1]
extern "C" __global__ void grid_flag_of_block(int* flag, int* data, int* out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0)
        *data = 7, release_cta(flag);
    else {
        while (!acquire_cta(flag)) {
        }
        *out = *data;
    }
}

// launch release_of_block racecheck --grid 2 --block 32 --arg i32[1]=0 --arg i32[1] --arg i32[1]
extern "C" __global__ void release_of_block(int* flag, int* data, int* out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0)
        *data = 7, release_cta(flag);
    else {
        while (!acquire_gpu(flag)) {
        }
        *out = *data;
    }
}

// launch release_within_block clean --grid 1 --block 64 --arg i32[1]=0 --arg i32[1] --arg i32[1]
extern "C" __global__ void release_within_block(int* flag, int* data, int* out) {
    if (threadIdx.x == 0) *data = 7, release_cta(flag);
    if (threadIdx.x == 32) {
        while (!acquire_cta(flag)) {
        }
        *out = *data;
    }
}
