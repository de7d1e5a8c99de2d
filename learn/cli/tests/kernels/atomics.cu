// Plain loads of words that other threads change by atomics.

// launch counter_after_add racecheck --grid 4 --block 32 --arg i32[1]=0 --arg i32[128]
extern "C" __global__ void counter_after_add(int* counter, int* out) {
    atomicAdd(counter, 1);
    out[blockIdx.x * 32 + threadIdx.x] = *counter;
}

// launch slot_by_plain_load racecheck --grid 4 --block 1 --arg i32[1]=0 --arg i32[8]
extern "C" __global__ void slot_by_plain_load(int* size, int* queue) {
    queue[*size] = blockIdx.x;
    atomicAdd(size, 1);
}

// launch last_block_by_plain_load racecheck --grid 4 --block 1 --arg i32[1]=0 --arg i32[1]
extern "C" __global__ void last_block_by_plain_load(int* done, int* out) {
    atomicAdd(done, 1);
    __threadfence();
    if (*done == gridDim.x) *out = 1;
}

// launch sum_of_this_round racecheck --grid 2 --block 32 --arg f32[1]=0 --arg f32[64]
extern "C" __global__ void sum_of_this_round(float* sum, float* out) {
    atomicAdd(sum, 1.0f);
    out[blockIdx.x * 32 + threadIdx.x] = 1.0f / *sum;
}

// launch counter_by_volatile_load clean --grid 4 --block 32 --arg i32[1]=0 --arg i32[128]
extern "C" __global__ void counter_by_volatile_load(int* counter, int* out) {
    atomicAdd(counter, 1);
    out[blockIdx.x * 32 + threadIdx.x] = *(volatile int*)counter;
}

// launch counter_by_atomic clean --grid 4 --block 32 --arg i32[1]=0 --arg i32[128]
extern "C" __global__ void counter_by_atomic(int* counter, int* out) {
    out[blockIdx.x * 32 + threadIdx.x] = atomicAdd(counter, 1);
}

// launch counter_by_relaxed_load clean --grid 4 --block 32 --arg i32[1]=0 --arg i32[128]
extern "C" __global__ void counter_by_relaxed_load(int* counter, int* out) {
    atomicAdd(counter, 1);
    int seen;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
    out[blockIdx.x * 32 + threadIdx.x] = seen;
}

// launch own_counter clean --grid 4 --block 32 --arg i32[128]=0 --arg i32[128]
extern "C" __global__ void own_counter(int* counters, int* out) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    atomicAdd(counters + i, i);
    out[i] = counters[i];
}

// launch total_after_tickets clean --grid 4 --block 1 --arg i32[2]=0 --arg i32[1]
extern "C" __global__ void total_after_tickets(int* counters, int* out) {
    atomicAdd(counters, blockIdx.x);
    __threadfence();
    if (atomicAdd(counters + 1, 1) == gridDim.x - 1) *out = counters[0];
}

// launch double_by_swaps clean --grid 4 --block 32 --arg f64[1]=0 --arg f64[128]
__device__ double add(double* address, double value) {
    unsigned long long* bits = (unsigned long long*)address;
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
extern "C" __global__ void double_by_swaps(double* sum, double* out) {
    out[blockIdx.x * 32 + threadIdx.x] = add(sum, 0.5);
}

// launch largest_by_swaps clean --grid 4 --block 32 --arg i32[1]=0 --arg i32[128]
extern "C" __global__ void largest_by_swaps(int* most, int* before) {
    const int value = blockIdx.x * 32 + threadIdx.x;
    int old = *most;
    while (old < value) {
        const int assumed = old;
        old = atomicCAS(most, assumed, value);
        if (old == assumed) break;
    }
    before[value] = old;
}

// launch look_before_minimum clean --grid 4 --block 32 --arg i32[1]=1000
extern "C" __global__ void look_before_minimum(int* least) {
    const int value = 999 - blockIdx.x * 32 - threadIdx.x;
    if (value < *least) atomicMin(least, value);
}

// launch early_end clean --grid 4 --block 32 --arg i32[128]=index --arg i32[1]=0
extern "C" __global__ void early_end(const int* in, int* found) {
    if (*found) return;
    if (in[blockIdx.x * 32 + threadIdx.x] == 3) atomicExch(found, 1);
}

// launch relaxed_distances clean --grid 4 --block 1 --arg i32[5]=0,90,90,90,90
extern "C" __global__ void relaxed_distances(int* distance) {
    atomicMin(distance + blockIdx.x + 1, distance[blockIdx.x] + 1);
}

// launch hash_table clean --grid 4 --block 32 --arg u32[256]=0
extern "C" __global__ void hash_table(unsigned* keys) {
    const unsigned key = 1 + (blockIdx.x * 32 + threadIdx.x) / 2;
    for (unsigned slot = key * 7 % 256;; slot = (slot + 1) % 256) {
        const unsigned seen = keys[slot];
        if (seen == key) return;
        if (seen == 0) {
            const unsigned old = atomicCAS(keys + slot, 0, key);
            if (old == 0 || old == key) return;
        }
    }
}
