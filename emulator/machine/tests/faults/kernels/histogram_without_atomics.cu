// Threads increment the bins of their block with a load and a store: of two simultaneous increments, one is lost.
//
// launch    --grid 1 --block 64 --arg u32[64]=random --arg u32[16]
// fixed     atomicAdd

extern "C" __global__ void faulty(const unsigned int* in, unsigned int* out) {
    __shared__ unsigned int bins[16];
    const int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    bins[in[t] % 16] += 1;
    __syncthreads();
    if (t < 16) out[t] = bins[t];
}

extern "C" __global__ void fixed(const unsigned int* in, unsigned int* out) {
    __shared__ unsigned int bins[16];
    const int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[t] % 16], 1);
    __syncthreads();
    if (t < 16) out[t] = bins[t];
}

// cargo x check:
//   racecheck: race between warps in kernel `faulty`: shared memory at byte 60, 103 times; the same line reads and writes it
//     read by thread (59, 0, 0) (warp 1, lane 27) of block (0, 0, 0)
//       kernels/histogram_without_atomics.cu:11: bins[in[t] % 16] += 1;
//       PTX line 50: ld.shared.u32 %r5, [%rd13];
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/histogram_without_atomics.cu:11: bins[in[t] % 16] += 1;
//       PTX line 52: st.shared.u32 [%rd13], %r6;
//     element 15 of `bins`, which has 16 elements of 4 bytes
