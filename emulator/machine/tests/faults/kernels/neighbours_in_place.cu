// Threads of a block shift an array in place, and read neighbors that others may have overwritten.
//
// launch    --grid 1 --block 64 --arg f32[65]=index
// fixed     all threads read before any thread writes

extern "C" __global__ void faulty(float* data) {
    const int i = threadIdx.x;
    data[i] = data[i + 1];
}

extern "C" __global__ void fixed(float* data) {
    const int i = threadIdx.x;
    const float next = data[i + 1];
    __syncthreads();
    data[i] = next;
}

// compute-sanitizer: nothing: its racecheck covers only shared memory.
//
// cargo x check:
//   racecheck: race between warps in kernel `faulty`: global memory at 0x700000080, 63 times; the same line reads and writes it
//     read by thread (31, 0, 0) (warp 0, lane 31) of block (0, 0, 0)
//       kernels/neighbours_in_place.cu:8: data[i] = data[i + 1];
//       PTX line 23: ld.global.f32 %f1, [%rd4+4];
//     write by thread (32, 0, 0) (warp 1, lane 0) of block (0, 0, 0)
//       kernels/neighbours_in_place.cu:8: data[i] = data[i + 1];
//       PTX line 24: st.global.f32 [%rd4], %f1;
//     element 32 of argument 1, f32[65]
