// A stencil's tile has a halo element on each side, and no thread loads them.
//
// launch    --grid 2 --block 64 --arg f32[130]=index --arg f32[128]
// fixed     two threads load one of them each

extern "C" __global__ void faulty(const float* in, float* out) {
    __shared__ float tile[66];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tile[t + 1] = in[i + 1];
    __syncthreads();
    out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

extern "C" __global__ void fixed(const float* in, float* out) {
    __shared__ float tile[66];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tile[t + 1] = in[i + 1];
    if (t == 0) tile[0] = in[i];
    if (t == 63) tile[65] = in[i + 2];
    __syncthreads();
    out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

// compute-sanitizer: nothing: its initcheck covers only global memory.
//
// cargo x check:
//   initcheck: read of uninitialized shared memory in kernel `faulty`: shared memory at byte 0, 4 times
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/shared_uninitialised.cu:11: out[i] = tile[t] + tile[t + 1] + tile[t + 2];
//       PTX line 38: ld.shared.f32 %f2, [%rd9];
//     element 0 of `tile`, which has 66 elements of 4 bytes
