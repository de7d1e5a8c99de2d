// Four floats are loaded at once from an address that is a multiple of 4 bytes but not of 16.
//
// launch    --grid 1 --block 32 --arg f32[129]=index --arg f32[32]
// fixed     four separate loads

extern "C" __global__ void faulty(const float* in, float* out) {
    const float4 v = reinterpret_cast<const float4*>(in + 1)[threadIdx.x];
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ void fixed(const float* in, float* out) {
    const float* v = in + 1 + 4 * threadIdx.x;
    out[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}

// cargo x check:
//   memcheck: misaligned access in kernel `faulty`: 16 bytes of global memory at 0x700000004, which is not a multiple of 16, the size of the access
//     by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/vector_load_misaligned.cu:7: const float4 v = reinterpret_cast<const float4*>(in + 1)[threadIdx.x];
//       PTX line 25: ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6+4];
//     element 1 of argument 1, f32[129]
