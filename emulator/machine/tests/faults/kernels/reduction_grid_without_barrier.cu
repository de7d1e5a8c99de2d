// One block adds the partial sums of all after __syncthreads, which synchronizes only the threads of its own block.
//
// launch    --grid 2 --block 32 --arg i32[2] --arg i32[1]=0
// fixed     each block adds its partial sum atomically

extern "C" __global__ void faulty(int* partials, int* total) {
    if (threadIdx.x == 0) partials[blockIdx.x] = blockIdx.x + 1;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        int sum = 0;
        for (int block = 0; block < gridDim.x; block++) sum += partials[block];
        *total = sum;
    }
}

extern "C" __global__ void fixed(int* partials, int* total) {
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = blockIdx.x + 1;
        atomicAdd(total, blockIdx.x + 1);
    }
}

// compute-sanitizer: nothing: its racecheck covers only shared memory, and the other block had written in time.
//
// cargo x check:
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x700000004, once
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_grid_without_barrier.cu:11: for (int block = 0; block < gridDim.x; block++) sum += partials[block];
//       PTX line 72: ld.global.u32 %r36, [%rd14];
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/reduction_grid_without_barrier.cu:7: if (threadIdx.x == 0) partials[blockIdx.x] = blockIdx.x + 1;
//       PTX line 30: st.global.u32 [%rd10], %r20;
//     element 1 of argument 1, i32[2]
//   initcheck: read of uninitialized global memory in kernel `faulty`: global memory at 0x700000004, once
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_grid_without_barrier.cu:11: for (int block = 0; block < gridDim.x; block++) sum += partials[block];
//       PTX line 72: ld.global.u32 %r36, [%rd14];
//     element 1 of argument 1, i32[2]
