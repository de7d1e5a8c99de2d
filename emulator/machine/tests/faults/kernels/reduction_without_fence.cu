// The last block to finish adds the partial sums of all, but nothing makes them visible before the ticket is taken.
//
// launch    --grid 4 --block 32 --arg i32[4] --arg i32[1] --arg u32[1]=0
// fixed     __threadfence between the store of the partial sum and the ticket

extern "C" __global__ void faulty(int* partials, int* total, unsigned int* tickets) {
    if (threadIdx.x != 0) return;
    partials[blockIdx.x] = blockIdx.x + 1;
    if (atomicAdd(tickets, 1) == gridDim.x - 1) {
        int sum = 0;
        for (int block = 0; block < gridDim.x; block++) sum += partials[block];
        *total = sum;
    }
}

extern "C" __global__ void fixed(int* partials, int* total, unsigned int* tickets) {
    if (threadIdx.x != 0) return;
    partials[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    if (atomicAdd(tickets, 1) == gridDim.x - 1) {
        __threadfence();
        int sum = 0;
        for (int block = 0; block < gridDim.x; block++) sum += partials[block];
        *total = sum;
    }
}

// compute-sanitizer: nothing: its racecheck covers only shared memory.
//
// cargo x check:
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x700000000, 3 times
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_without_fence.cu:8: partials[blockIdx.x] = blockIdx.x + 1;
//       PTX line 32: st.global.u32 [%rd12], %r21;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (3, 0, 0)
//       kernels/reduction_without_fence.cu:11: for (int block = 0; block < gridDim.x; block++) sum += partials[block];
//       PTX line 51: ld.global.u32 %r29, [%rd15];
//     element 0 of argument 1, i32[4]
