// An optional buffer is null, and the kernel does not check.
//
// launch    --grid 1 --block 32 --arg u64=0 --arg f32[32]
// fixed     the kernel checks

extern "C" __global__ void faulty(const float* bias, float* out) {
    out[threadIdx.x] = bias[threadIdx.x];
}

extern "C" __global__ void fixed(const float* bias, float* out) {
    out[threadIdx.x] = bias != nullptr ? bias[threadIdx.x] : 0.0f;
}

// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of global memory at 0x0, not in any allocation
//     by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/null_pointer.cu:7: out[threadIdx.x] = bias[threadIdx.x];
//       PTX line 25: ld.global.f32 %f1, [%rd6];
//     at the null pointer that is argument 1
