// A block's sum is stored at the index of the thread instead of the block: all blocks write element 0.
//
// source    tutorial C, dynamic shared memory
// launch    --grid 2 --block 32 --arg i32[64]=index --arg i32[2]=0
// fixed     the index of the block

extern "C" __global__ void faulty(const int* in, int* partials) {
    int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0) partials[threadIdx.x] = sum;
}

extern "C" __global__ void fixed(const int* in, int* partials) {
    int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// compute-sanitizer: nothing: its racecheck covers only shared memory.
//
// cargo x check:
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x26f2001100, once
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_output_by_thread.cu:10: if (threadIdx.x == 0) partials[threadIdx.x] = sum;
//       PTX line 52: st.global.u32 [%rd6], %r1;
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/reduction_output_by_thread.cu:10: if (threadIdx.x == 0) partials[threadIdx.x] = sum;
//       PTX line 52: st.global.u32 [%rd6], %r1;
//     element 0 of argument 2, i32[2]
