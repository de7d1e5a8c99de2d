// A sum is added to an output that has not been initialized.
//
// launch    --grid 2 --block 64 --arg f32[128]=index --arg f32[128]
// fixed     the sum is stored

extern "C" __global__ void faulty(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] += in[i];
}

extern "C" __global__ void fixed(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// cargo x check:
//   initcheck: read of uninitialized global memory in kernel `faulty`: global memory at 0x26f2001200, 128 times
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/global_uninitialised.cu:8: out[i] += in[i];
//       PTX line 31: ld.global.f32 %f2, [%rd7];
//     element 0 of argument 2, f32[128]
