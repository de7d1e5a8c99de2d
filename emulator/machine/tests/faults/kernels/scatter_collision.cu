// Two threads scatter different values to the same element.
//
// launch    --grid 1 --block 64 --arg i32[64]
// fixed     each thread has a different element

extern "C" __global__ void faulty(int* out) {
    out[threadIdx.x / 2] = threadIdx.x;
}

extern "C" __global__ void fixed(int* out) {
    out[threadIdx.x] = threadIdx.x;
}

// compute-sanitizer: nothing: its racecheck covers only shared memory.
//
// cargo x check:
//   racecheck: race within a warp (no __syncwarp between the two writes) in kernel `faulty`: global memory at 0x700000000, 32 times
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/scatter_collision.cu:7: out[threadIdx.x / 2] = threadIdx.x;
//       PTX line 22: st.global.u32 [%rd4], %r1;
//     write by thread (1, 0, 0) (warp 0, lane 1) of block (0, 0, 0)
//       kernels/scatter_collision.cu:7: out[threadIdx.x / 2] = threadIdx.x;
//       PTX line 22: st.global.u32 [%rd4], %r1;
//     element 0 of argument 1, i32[64]
