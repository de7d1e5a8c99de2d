// The same scratch array with no more sources than elements: in bounds, but all threads use the same element at once.
//
// source    tutorial D, untiled kernel
// launch    --grid 1 --block 64 --arg f32[64]=index --arg f32[64] --arg i32=64
// fixed     a register instead of the scratch array

extern "C" __global__ void faulty(const float* in, float* out, int n) {
    __shared__ volatile float scratch[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
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
//   racecheck: race between warps in kernel `faulty`: shared memory at byte 0, 4032 times
//     write by thread (31, 0, 0) (warp 0, lane 31) of block (0, 0, 0)
//       kernels/scratch_shared_by_all.cu:13: scratch[j] = in[j] - in[i];
//       PTX line 46: st.volatile.shared.f32 [%rd15], %f8;
//     write by thread (32, 0, 0) (warp 1, lane 0) of block (0, 0, 0)
//       kernels/scratch_shared_by_all.cu:13: scratch[j] = in[j] - in[i];
//       PTX line 46: st.volatile.shared.f32 [%rd15], %f8;
//     element 0 of `scratch`, which has 64 elements of 4 bytes
//   racecheck: race between warps in kernel `faulty`: shared memory at byte 0, 4096 times
//     write by thread (63, 0, 0) (warp 1, lane 31) of block (0, 0, 0)
//       kernels/scratch_shared_by_all.cu:13: scratch[j] = in[j] - in[i];
//       PTX line 46: st.volatile.shared.f32 [%rd15], %f8;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/scratch_shared_by_all.cu:14: sum += scratch[j];
//       PTX line 48: ld.volatile.shared.f32 %f9, [%rd15];
//     element 0 of `scratch`, which has 64 elements of 4 bytes
