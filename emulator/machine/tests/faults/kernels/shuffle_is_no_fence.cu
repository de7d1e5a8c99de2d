// Between a store to shared memory and another lane's load there is only a shuffle, which orders no memory.
//
// launch    --grid 1 --block 32 --arg i32[32]
// fixed     __syncwarp precedes the load

extern "C" __global__ void faulty(int* out) {
    __shared__ int mine[32];
    mine[threadIdx.x] = threadIdx.x;
    const int neighbor = __shfl_xor_sync(0xffffffff, threadIdx.x, 1);
    out[threadIdx.x] = mine[31 - threadIdx.x] + neighbor;
}

extern "C" __global__ void fixed(int* out) {
    __shared__ int mine[32];
    mine[threadIdx.x] = threadIdx.x;
    const int neighbor = __shfl_xor_sync(0xffffffff, threadIdx.x, 1);
    __syncwarp();
    out[threadIdx.x] = mine[31 - threadIdx.x] + neighbor;
}

// cargo x check:
//   racecheck: race within a warp (no __syncwarp between the write and the read) in kernel `faulty`: shared memory at byte 124, 32 times
//     write by thread (31, 0, 0) (warp 0, lane 31) of block (0, 0, 0)
//       kernels/shuffle_is_no_fence.cu:8: mine[threadIdx.x] = threadIdx.x;
//       PTX line 24: st.shared.u32 [%rd5], %r1;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/shuffle_is_no_fence.cu:10: out[threadIdx.x] = mine[31 - threadIdx.x] + neighbor;
//       PTX line 34: ld.shared.u32 %r7, [%rd7];
//     element 31 of `mine`, which has 32 elements of 4 bytes
