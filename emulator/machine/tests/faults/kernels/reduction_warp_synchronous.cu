// Warp-synchronous code without __syncwarp in the last warp: volatile keeps the accesses but does not order the lanes.
//
// source    tutorial C, all versions; correct before Volta, when the lanes of a warp ran in lockstep
// launch    --grid 2 --block 32 --arg i32[64]=index --arg i32[2]
// fixed     __syncwarp between reads and writes, and after each level

extern "C" __global__ void faulty(const int* in, int* partials) {
    __shared__ int tree[32];
    volatile int* level = tree;
    const int t = threadIdx.x;
    level[t] = in[blockIdx.x * 32 + t];
    __syncthreads();
    if (t < 16) {
        level[t] += level[t + 16];
        level[t] += level[t + 8];
        level[t] += level[t + 4];
        level[t] += level[t + 2];
        level[t] += level[t + 1];
    }
    if (t == 0) partials[blockIdx.x] = level[0];
}

extern "C" __global__ void fixed(const int* in, int* partials) {
    __shared__ int tree[32];
    const int t = threadIdx.x;
    tree[t] = in[blockIdx.x * 32 + t];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncwarp();
    }
    if (t == 0) partials[blockIdx.x] = tree[0];
}

// cargo x check:
//   racecheck: race within a warp (no __syncwarp between the write and the read) in kernel `faulty`: shared memory at byte 32, 16 times
//     write by thread (8, 0, 0) (warp 0, lane 8) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:14: level[t] += level[t + 16];
//       PTX line 46: st.volatile.shared.u32 [%rd1], %r8;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:15: level[t] += level[t + 8];
//       PTX line 49: ld.volatile.shared.u32 %r10, [%rd1+32];
//     element 8 of `tree`, which has 32 elements of 4 bytes
//   racecheck: race within a warp (no __syncwarp between the read and the write) in kernel `faulty`: shared memory at byte 32, 16 times; the same line reads and writes it
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:15: level[t] += level[t + 8];
//       PTX line 49: ld.volatile.shared.u32 %r10, [%rd1+32];
//     write by thread (8, 0, 0) (warp 0, lane 8) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:15: level[t] += level[t + 8];
//       PTX line 51: st.volatile.shared.u32 [%rd1], %r11;
//     element 8 of `tree`, which has 32 elements of 4 bytes
//   racecheck: race within a warp (no __syncwarp between the write and the read) in kernel `faulty`: shared memory at byte 16, 24 times
//     write by thread (4, 0, 0) (warp 0, lane 4) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:15: level[t] += level[t + 8];
//       PTX line 51: st.volatile.shared.u32 [%rd1], %r11;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:16: level[t] += level[t + 4];
//       PTX line 54: ld.volatile.shared.u32 %r13, [%rd1+16];
//     element 4 of `tree`, which has 32 elements of 4 bytes
//   racecheck: race within a warp (no __syncwarp between the read and the write) in kernel `faulty`: shared memory at byte 16, 24 times; the same line reads and writes it
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:16: level[t] += level[t + 4];
//       PTX line 54: ld.volatile.shared.u32 %r13, [%rd1+16];
//     write by thread (4, 0, 0) (warp 0, lane 4) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:16: level[t] += level[t + 4];
//       PTX line 56: st.volatile.shared.u32 [%rd1], %r14;
//     element 4 of `tree`, which has 32 elements of 4 bytes
//   racecheck: race within a warp (no __syncwarp between the write and the read) in kernel `faulty`: shared memory at byte 8, 28 times
//     write by thread (2, 0, 0) (warp 0, lane 2) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:16: level[t] += level[t + 4];
//       PTX line 56: st.volatile.shared.u32 [%rd1], %r14;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:17: level[t] += level[t + 2];
//       PTX line 59: ld.volatile.shared.u32 %r16, [%rd1+8];
//     element 2 of `tree`, which has 32 elements of 4 bytes
//   racecheck: race within a warp (no __syncwarp between the read and the write) in kernel `faulty`: shared memory at byte 8, 28 times; the same line reads and writes it
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:17: level[t] += level[t + 2];
//       PTX line 59: ld.volatile.shared.u32 %r16, [%rd1+8];
//     write by thread (2, 0, 0) (warp 0, lane 2) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:17: level[t] += level[t + 2];
//       PTX line 61: st.volatile.shared.u32 [%rd1], %r17;
//     element 2 of `tree`, which has 32 elements of 4 bytes
//   racecheck: race within a warp (no __syncwarp between the write and the read) in kernel `faulty`: shared memory at byte 4, 30 times
//     write by thread (1, 0, 0) (warp 0, lane 1) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:17: level[t] += level[t + 2];
//       PTX line 61: st.volatile.shared.u32 [%rd1], %r17;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:18: level[t] += level[t + 1];
//       PTX line 64: ld.volatile.shared.u32 %r19, [%rd1+4];
//     element 1 of `tree`, which has 32 elements of 4 bytes
//   racecheck: race within a warp (no __syncwarp between the read and the write) in kernel `faulty`: shared memory at byte 4, 30 times; the same line reads and writes it
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:18: level[t] += level[t + 1];
//       PTX line 64: ld.volatile.shared.u32 %r19, [%rd1+4];
//     write by thread (1, 0, 0) (warp 0, lane 1) of block (0, 0, 0)
//       kernels/reduction_warp_synchronous.cu:18: level[t] += level[t + 1];
//       PTX line 66: st.volatile.shared.u32 [%rd1], %r20;
//     element 1 of `tree`, which has 32 elements of 4 bytes
