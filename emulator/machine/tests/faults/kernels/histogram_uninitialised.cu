// Threads count in bins that no thread and no memset has set to zero: atomicAdd reads them first.
//
// launch    --grid 2 --block 64 --arg u32[128]=random --arg u32[16]
// fixed     the bins are zero before the launch
// fixed launch  --grid 2 --block 64 --arg u32[128]=random --arg u32[16]=0

extern "C" __global__ void faulty(const unsigned int* in, unsigned int* bins) {
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] % 16], 1);
}

extern "C" __global__ void fixed(const unsigned int* in, unsigned int* bins) {
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] % 16], 1);
}

// cargo x check:
//   initcheck: read of uninitialized global memory in kernel `faulty`: global memory at 0x26f200123c, 16 times
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/histogram_uninitialised.cu:8: atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] % 16], 1);
//       PTX line 32: atom.global.add.u32 %r7, [%rd9], 1;
//     element 15 of argument 2, u32[16]
