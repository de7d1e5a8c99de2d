// Loads by the read-only path of what the launch writes, and of what it does not write.

// launch in_place racecheck --grid 1 --block 64 --arg f32[64]=0
extern "C" __global__ void in_place(float* x) {
    x[threadIdx.x] = __ldg(&x[threadIdx.x]) + 1;
}

// launch after_a_barrier racecheck --grid 1 --block 64 --arg f32[64]=0 --arg f32[64]
extern "C" __global__ void after_a_barrier(float* x, float* y) {
    x[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = __ldg(&x[63 - threadIdx.x]);
}

// launch stored_afterwards racecheck --grid 1 --block 64 --arg f32[64]=0 --arg f32[64]
extern "C" __global__ void stored_afterwards(float* x, float* y) {
    y[threadIdx.x] = __ldg(&x[63 - threadIdx.x]);
    __syncthreads();
    x[threadIdx.x] = threadIdx.x;
}

// launch other_block racecheck --grid 2 --block 32 --arg f32[64]=0 --arg f32[64]
extern "C" __global__ void other_block(float* x, float* y) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    if (blockIdx.x == 0)
        x[i] = 1;
    else
        y[i] = __ldg(&x[i - 32]);
}

// launch atomics_beside racecheck --grid 2 --block 32 --arg i32[64]=0 --arg i32[64]
extern "C" __global__ void atomics_beside(int* x, int* y) {
    atomicAdd(&x[threadIdx.x], 1);
    y[threadIdx.x] = __ldg(&x[threadIdx.x]);
}

// launch other_words clean --grid 1 --block 32 --arg f32[64]=0 --arg f32[32]
extern "C" __global__ void other_words(float* x, float* y) {
    x[threadIdx.x] = 1;
    y[threadIdx.x] = __ldg(&x[threadIdx.x + 32]);
}

// launch restrict_pointers clean --grid 2 --block 64 --arg f32[128]=1 --arg f32[128]
extern "C" __global__ void restrict_pointers(const float* __restrict__ x, float* __restrict__ y) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    y[i] = 2 * x[i];
}

// launch offset_alias racecheck --grid 1 --block 32 --arg f32[64]=1
__device__ void doubled(const float* __restrict__ x, float* __restrict__ y) {
    y[threadIdx.x] = 2 * __ldg(&x[threadIdx.x]);
}
extern "C" __global__ void offset_alias(float* x) {
    doubled(x, x);
}

// launch plain_loads clean --grid 1 --block 64 --arg f32[64]=0 --arg f32[64]
extern "C" __global__ void plain_loads(float* x, float* y) {
    x[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = x[63 - threadIdx.x];
}
