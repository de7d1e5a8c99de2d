// Each thread reads the next element of a tile, and the last one reads past the end.
//
// launch    --grid 1 --block 64 --arg f32[64]=index --arg f32[64]
// fixed     the last one reads its own element

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

// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of shared memory at 0x100, which is 256 bytes long
//     by thread (63, 0, 0) (warp 1, lane 31) of block (0, 0, 0)
//       kernels/shared_array_overrun.cu:11: out[t] = tile[t] + tile[t + 1];
//       PTX line 35: ld.shared.f32 %f3, [%rd8+4];
//     element 64 of `tile`, which has 64 elements of 4 bytes
