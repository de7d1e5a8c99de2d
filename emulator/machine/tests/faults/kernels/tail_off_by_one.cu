// `<=` instead of `<`: one thread accesses one element past the end.
//
// launch    --grid 2 --block 64 --arg f32[100]=index --arg f32[100] --arg i32=100
// fixed     `<`

extern "C" __global__ void faulty(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = 2.0f * in[i];
}

extern "C" __global__ void fixed(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i];
}

// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of global memory at 0x700000190, just past the end of an allocation of 400 bytes
//     by thread (36, 0, 0) (warp 1, lane 4) of block (1, 0, 0)
//       kernels/tail_off_by_one.cu:8: if (i <= n) out[i] = 2.0f * in[i];
//       PTX line 35: ld.global.f32 %f1, [%rd5];
//     element 100 of argument 1, which has 100 elements (f32[100])
