// The host freed a buffer before the launch. The fixed kernel is launched with an allocated one.
//
// launch    --grid 1 --block 32 --arg f32[32] --arg f32[32]=freed
// fixed     the same kernel
// fixed launch    --grid 1 --block 32 --arg f32[32] --arg f32[32]=index

extern "C" __global__ void faulty(float* out, const float* in) {
    out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void fixed(float* out, const float* in) {
    out[threadIdx.x] = in[threadIdx.x];
}

// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of global memory at 0x26f2001100, at byte 0 of an allocation of 128 bytes that was freed before
//     by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/use_after_free.cu:8: out[threadIdx.x] = in[threadIdx.x];
//       PTX line 25: ld.global.f32 %f1, [%rd6];
//     element 0 of argument 2, f32[32], which is freed
