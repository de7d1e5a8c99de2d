// The bins of a block are not set to zero: atomicAdd reads what the last block left in shared memory.
//
// launch    --grid 1 --block 64 --arg u32[64]=random --arg u32[16]
// fixed     threads set the bins to zero, and a barrier

extern "C" __global__ void faulty(const unsigned int* in, unsigned int* out) {
    __shared__ unsigned int bins[16];
    const int t = threadIdx.x;
    atomicAdd(&bins[in[t] % 16], 1);
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

// compute-sanitizer: nothing: its initcheck covers only global memory.
//
// cargo x check:
//   initcheck: read of uninitialized shared memory in kernel `faulty`: shared memory at byte 60, 16 times
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/histogram_shared_uninitialised.cu:9: atomicAdd(&bins[in[t] % 16], 1);
//       PTX line 33: atom.shared.add.u32 %r4, [%rd10], 1;
//     element 15 of `bins`, which has 16 elements of 4 bytes
