// One warp executes two barriers and the other one: they synchronize at different barriers, and the second tile is read
// while it is written.
//
// launch    --grid 1 --block 64 --arg i32[64]
// fixed     both warps execute both barriers

extern "C" __global__ void faulty(int* out) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    tile[t] = t;
    if (t < 32) {
        __syncthreads();
        tile[t] = tile[63 - t] + 1;
    }
    __syncthreads();
    out[t] = tile[t % 32];
}

extern "C" __global__ void fixed(int* out) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    tile[t] = t;
    __syncthreads();
    if (t < 32) tile[t] = tile[63 - t] + 1;
    __syncthreads();
    out[t] = tile[t % 32];
}

// cargo x check:
//   synccheck: barriers of different branches (all threads of the block must take the branch of a __syncthreads) in kernel `faulty`, 32 times
//     executed by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/barriers_mismatched.cu:12: __syncthreads();
//       PTX line 32: bar.sync 0;
//     executed by thread (32, 0, 0) (warp 1, lane 0) of block (0, 0, 0)
//       kernels/barriers_mismatched.cu:15: __syncthreads();
//       PTX line 45: bar.sync 0;
//   racecheck: race between warps in kernel `faulty`: shared memory at byte 0, 32 times
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/barriers_mismatched.cu:13: tile[t] = tile[63 - t] + 1;
//       PTX line 40: st.shared.u32 [%rd2], %r6;
//     read by thread (32, 0, 0) (warp 1, lane 0) of block (0, 0, 0)
//       kernels/barriers_mismatched.cu:16: out[t] = tile[t % 32];
//       PTX line 54: ld.shared.u32 %r13, [%rd11];
//     element 0 of `tile`, which has 64 elements of 4 bytes
