// The launch provides half of the shared memory that the kernel uses. The fixed kernel is launched with all of it.
//
// launch    --grid 1 --block 64 --shared 128 --arg f32[64]=index --arg f32[64]
// fixed     the same kernel
// fixed launch    --grid 1 --block 64 --shared 256 --arg f32[64]=index --arg f32[64]

extern "C" __global__ void faulty(const float* in, float* out) {
    extern __shared__ float tile[];
    const int t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    out[t] = tile[63 - t];
}

extern "C" __global__ void fixed(const float* in, float* out) {
    extern __shared__ float tile[];
    const int t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    out[t] = tile[63 - t];
}

// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of shared memory at 0x80, which is 128 bytes long
//     by thread (32, 0, 0) (warp 1, lane 0) of block (0, 0, 0)
//       kernels/dynamic_shared_too_small.cu:10: tile[t] = in[t];
//       PTX line 30: st.shared.f32 [%rd8], %f1;
//     element 32 of dynamic shared memory, which has 32 elements of 4 bytes
