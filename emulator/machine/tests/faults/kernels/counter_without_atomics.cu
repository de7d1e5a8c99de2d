// Blocks increment one word of global memory with a load and a store.
//
// launch    --grid 4 --block 32 --arg u32[1]=0
// fixed     atomicAdd

extern "C" __global__ void faulty(unsigned int* count) {
    if (threadIdx.x == 0) *count += 1;
}

extern "C" __global__ void fixed(unsigned int* count) {
    if (threadIdx.x == 0) atomicAdd(count, 1);
}

// compute-sanitizer: nothing: its racecheck covers only shared memory.
//
// cargo x check:
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x700000000, 3 times; the same line reads and writes it
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/counter_without_atomics.cu:7: if (threadIdx.x == 0) *count += 1;
//       PTX line 24: st.global.u32 [%rd2], %r3;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/counter_without_atomics.cu:7: if (threadIdx.x == 0) *count += 1;
//       PTX line 22: ld.global.u32 %r2, [%rd2];
//     element 0 of argument 1, u32[1]
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x700000000, 3 times; the same line reads and writes it
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/counter_without_atomics.cu:7: if (threadIdx.x == 0) *count += 1;
//       PTX line 22: ld.global.u32 %r2, [%rd2];
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/counter_without_atomics.cu:7: if (threadIdx.x == 0) *count += 1;
//       PTX line 24: st.global.u32 [%rd2], %r3;
//     element 0 of argument 1, u32[1]
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x700000000, 3 times
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/counter_without_atomics.cu:7: if (threadIdx.x == 0) *count += 1;
//       PTX line 24: st.global.u32 [%rd2], %r3;
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/counter_without_atomics.cu:7: if (threadIdx.x == 0) *count += 1;
//       PTX line 24: st.global.u32 [%rd2], %r3;
//     element 0 of argument 1, u32[1]
