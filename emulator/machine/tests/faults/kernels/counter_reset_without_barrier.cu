// One thread clears the counter of its block, and the others may add to it before it is cleared.
//
// launch    --grid 1 --block 64 --arg u32[1]
// fixed     a barrier in between

extern "C" __global__ void faulty(unsigned int* out) {
    __shared__ unsigned int count;
    if (threadIdx.x == 0) count = 0;
    atomicAdd(&count, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) *out = count;
}

extern "C" __global__ void fixed(unsigned int* out) {
    __shared__ unsigned int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) *out = count;
}

// compute-sanitizer: nothing: its racecheck does not report an atomic that races with a plain store.
//
// cargo x check:
//   racecheck: race between warps in kernel `faulty`: shared memory at byte 0, 63 times
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/counter_reset_without_barrier.cu:8: if (threadIdx.x == 0) count = 0;
//       PTX line 23: st.shared.u32 [_ZZ6faultyE5count], %r2;
//     write by thread (32, 0, 0) (warp 1, lane 0) of block (0, 0, 0)
//       kernels/counter_reset_without_barrier.cu:9: atomicAdd(&count, threadIdx.x);
//       PTX line 27: atom.shared.add.u32 %r3, [%rd2], %r1;
//     element 0 of `count`, which has 1 element of 4 bytes
