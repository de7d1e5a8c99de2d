// A block's scratch array has one element per thread, but is indexed by the source, which counts all bodies.
//
// source    tutorial D, untiled kernel
// launch    --grid 2 --block 64 --arg f32[128]=index --arg f32[128] --arg i32=128
// fixed     a register instead of the scratch array

extern "C" __global__ void faulty(const float* in, float* out, int n) {
    __shared__ volatile float scratch[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < n; j++) {
        scratch[j] = in[j] - in[i];
        sum += scratch[j];
    }
    out[i] = sum;
}

extern "C" __global__ void fixed(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < n; j++) sum += in[j] - in[i];
    out[i] = sum;
}

// cargo x check:
//   racecheck: race between warps in kernel `faulty`: shared memory at byte 0, 4063 times
//     write by thread (31, 0, 0) (warp 0, lane 31) of block (0, 0, 0)
//       kernels/scratch_by_source_index.cu:12: scratch[j] = in[j] - in[i];
//       PTX line 52: st.volatile.shared.f32 [%rd22], %f14;
//     write by thread (32, 0, 0) (warp 1, lane 0) of block (0, 0, 0)
//       kernels/scratch_by_source_index.cu:12: scratch[j] = in[j] - in[i];
//       PTX line 52: st.volatile.shared.f32 [%rd22], %f14;
//     element 0 of `scratch`, which has 64 elements of 4 bytes
//   racecheck: race between warps in kernel `faulty`: shared memory at byte 0, 4096 times
//     write by thread (63, 0, 0) (warp 1, lane 31) of block (0, 0, 0)
//       kernels/scratch_by_source_index.cu:12: scratch[j] = in[j] - in[i];
//       PTX line 52: st.volatile.shared.f32 [%rd22], %f14;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/scratch_by_source_index.cu:13: sum += scratch[j];
//       PTX line 54: ld.volatile.shared.f32 %f15, [%rd22];
//     element 0 of `scratch`, which has 64 elements of 4 bytes
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of shared memory at 0x100, which is 256 bytes long
//     by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/scratch_by_source_index.cu:12: scratch[j] = in[j] - in[i];
//       PTX line 52: st.volatile.shared.f32 [%rd22], %f14;
//     element 64 of `scratch`, which has 64 elements of 4 bytes
