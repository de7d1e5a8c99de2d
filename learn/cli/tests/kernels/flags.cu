// Flags in shared memory, and volatile accesses that are none.

// launch flag clean --grid 1 --block 96 --arg i32[1]=5 --arg i32[1]
extern "C" __global__ void flag(const int* in, int* out) {
    __shared__ int value;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = *in;
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x == 64) {
        while (!ready) {
        }
        __threadfence_block();
        *out = value;
    }
}

// launch flag_without_fence racecheck --grid 1 --block 96 --arg i32[1]=5 --arg i32[1]
extern "C" __global__ void flag_without_fence(const int* in, int* out) {
    __shared__ volatile int ready;
    __shared__ int value;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = *in;
        ready = 1;
    }
    if (threadIdx.x == 64) {
        while (!ready) {
        }
        *out = *(int*)&value;
    }
}

// launch plain_flag racecheck --grid 1 --block 96 --arg i32[1]=5 --arg i32[1]
extern "C" __global__ void plain_flag(const int* in, int* out) {
    __shared__ int value, ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = *in;
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x == 64) {
        while (!*(volatile int*)&ready) {
        }
        __threadfence_block();
        *out = value;
    }
}

// launch flag_of_one_warp clean --grid 1 --block 32 --arg i32[1]=5 --arg i32[32]
extern "C" __global__ void flag_of_one_warp(const int* in, int* out) {
    __shared__ int value;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncwarp();
    if (threadIdx.x == 0) {
        value = *in;
        __threadfence_block();
        ready = 1;
    }
    while (!ready) {
    }
    __threadfence_block();
    out[threadIdx.x] = value;
}

// launch sense clean --grid 1 --block 64 --arg i32[1]=5 --arg i32[64]
extern "C" __global__ void sense(const int* in, int* out) {
    __shared__ int value;
    __shared__ volatile int turn;
    if (threadIdx.x == 0) turn = 0;
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        if (threadIdx.x == 0) {
            while (turn != 2 * round) {
            }
            __threadfence_block();
            value = in[0] + round;
            __threadfence_block();
            turn = 2 * round + 1;
        }
        if (threadIdx.x == 32) {
            while (turn != 2 * round + 1) {
                __nanosleep(20);
            }
            __threadfence_block();
            out[round] = value;
            __threadfence_block();
            turn = 2 * round + 2;
        }
    }
}

// launch ring clean --grid 1 --block 64 --arg i32[16]=1 --arg i32[16]
extern "C" __global__ void ring(const int* in, int* out) {
    __shared__ int slots[4];
    __shared__ volatile int head, tail;
    if (threadIdx.x == 0) head = tail = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < 16; i++) {
            while (i - tail >= 4) {
            }
            __threadfence_block();
            slots[i % 4] = in[i];
            __threadfence_block();
            head = i + 1;
        }
    if (threadIdx.x == 32)
        for (int i = 0; i < 16; i++) {
            while (head <= i) {
            }
            __threadfence_block();
            out[i] = slots[i % 4];
            __threadfence_block();
            tail = i + 1;
        }
}

// launch ring_without_fence racecheck --grid 1 --block 64 --arg i32[16]=1 --arg i32[16]
extern "C" __global__ void ring_without_fence(const int* in, int* out) {
    __shared__ int slots[4];
    __shared__ volatile int head, tail;
    if (threadIdx.x == 0) head = tail = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < 16; i++) {
            while (i - tail >= 4) {
            }
            slots[i % 4] = in[i];
            head = i + 1;
        }
    if (threadIdx.x == 32)
        for (int i = 0; i < 16; i++) {
            while (head <= i) {
            }
            out[i] = slots[i % 4];
            tail = i + 1;
        }
}

// launch atomic_flag clean --grid 1 --block 64 --arg i32[1]=5 --arg i32[1]
extern "C" __global__ void atomic_flag(const int* in, int* out) {
    __shared__ int value, ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = *in;
        __threadfence_block();
        atomicExch(&ready, 1);
    }
    if (threadIdx.x == 32) {
        while (atomicAdd(&ready, 0) == 0) {
        }
        __threadfence_block();
        *out = value;
    }
}

// launch early_end clean --grid 1 --block 128 --arg i32[128]=index --arg i32[1]
extern "C" __global__ void early_end(const int* in, int* out) {
    __shared__ volatile int found;
    if (threadIdx.x == 0) found = -1;
    __syncthreads();
    for (int i = 0; i < 4 && found < 0; i++)
        if (in[threadIdx.x] == 40 + i) found = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) *out = found;
}

// launch released clean --grid 1 --block 64 --arg i32[1]=5 --arg i32[1]
extern "C" __global__ void released(const int* in, int* out) {
    __shared__ int value, ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    unsigned at = __cvta_generic_to_shared(&ready);
    if (threadIdx.x == 0) {
        value = *in;
        asm volatile("st.release.cta.shared.u32 [%0], 1;" ::"r"(at) : "memory");
    }
    if (threadIdx.x == 32) {
        int seen;
        do asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(seen) : "r"(at) : "memory");
        while (!seen);
        *out = value;
    }
}

// launch warps_without_barrier racecheck --grid 1 --block 64 --arg i32[64]=1 --arg i32[64]
extern "C" __global__ void warps_without_barrier(const int* in, int* out) {
    __shared__ volatile int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}
