// Atomics whose scope is the block. Clang makes atomics for the device of them, so only NVRTC compiles this file.

// launch cta_add_of_one_block clean --grid 4 --block 32 --arg i32[4]=0
extern "C" __global__ void cta_add_of_one_block(int* total) {
    atomicAdd_block(total + blockIdx.x, 1);
}

// launch shared_add clean --grid 4 --block 64 --arg i32[4]
extern "C" __global__ void shared_add(int* out) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    atomicAdd_block(&total, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}

// launch cta_max_beside_device_max racecheck --grid 2 --block 32 --arg i32[1]=0
extern "C" __global__ void cta_max_beside_device_max(int* most) {
    if (blockIdx.x == 0)
        atomicMax(most, threadIdx.x);
    else
        atomicMax_block(most, threadIdx.x);
}

// launch cta_cas racecheck --grid 2 --block 1 --arg i32[2]=0
extern "C" __global__ void cta_cas(int* x) {
    while (atomicCAS_block(x, 0, 1)) {
    }
    x[1]++;
    __threadfence();
    atomicExch_block(x, 0);
}
