// Each thread reads its neighbor's word of a tile, and the last one has none.
//
// launch    --grid 1 --block 64 --arg f32[64]=index --arg f32[64]
// fixed     the last one takes its own

extern "C" __global__ void faulty(const float* in, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    out[t] = tile[t] + tile[t + 1];
}

extern "C" __global__ void fixed(const float* in, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    out[t] = tile[t] + tile[min(t + 1, 63)];
}

// compute-sanitizer: memcheck alone: initcheck looks at global memory alone.
//
// cargo x check:
//   initcheck: read of uninitialized shared memory in kernel `faulty`: shared memory at byte 256, once
//     read by thread (63, 0, 0) (warp 1, lane 31) of block (0, 0, 0)
//       kernels/shared_array_overrun.cu:11: out[t] = tile[t] + tile[t + 1];
//       PTX line 50: ld.shared.f32 %f3, [%rd8+4];
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of shared memory at 0x100, where there are 256 bytes
//     by thread (63, 0, 0) (warp 1, lane 31) of block (0, 0, 0)
//       kernels/shared_array_overrun.cu:11: out[t] = tile[t] + tile[t + 1];
//       PTX line 50: ld.shared.f32 %f3, [%rd8+4];
