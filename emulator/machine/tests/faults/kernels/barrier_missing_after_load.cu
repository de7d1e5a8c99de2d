// No barrier between loading a tile and reading elements loaded by other warps.
//
// launch    --grid 2 --block 64 --arg f32[128]=index --arg f32[128]
// fixed     a barrier in between

extern "C" __global__ void faulty(const float* in, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = in[i];
    out[i] = tile[63 - t];
}

extern "C" __global__ void fixed(const float* in, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = in[i];
    __syncthreads();
    out[i] = tile[63 - t];
}

// cargo x check:
//   racecheck: race between warps in kernel `faulty`: shared memory at byte 252, 128 times
//     write by thread (63, 0, 0) (warp 1, lane 31) of block (0, 0, 0)
//       kernels/barrier_missing_after_load.cu:9: tile[t] = in[i];
//       PTX line 34: st.shared.f32 [%rd9], %f1;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/barrier_missing_after_load.cu:10: out[i] = tile[63 - t];
//       PTX line 40: ld.shared.f32 %f2, [%rd11];
//     element 63 of `tile`, which has 64 elements of 4 bytes
