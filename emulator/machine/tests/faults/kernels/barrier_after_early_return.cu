// Threads past the end return before the barrier, and their elements of the tile are never loaded.
//
// launch    --grid 2 --block 64 --arg f32[100]=index --arg f32[100] --arg i32=100
// fixed     they stay and load zeros

extern "C" __global__ void faulty(const float* in, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i >= n) return;
    tile[t] = in[i];
    __syncthreads();
    out[i] = tile[t] + tile[63 - t];
}

extern "C" __global__ void fixed(const float* in, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = tile[t] + tile[63 - t];
}

// compute-sanitizer: nothing, and the kernel completes: threads that skip the barrier exit, and the hardware does not
// wait for threads that have exited. CUDA C++ does not guarantee this for a barrier in conditional code. Its
// initcheck covers only global memory.
//
// cargo x check:
//   synccheck: barrier with divergent threads in a warp in kernel `faulty`, 4 times
//     executed by thread (32, 0, 0) (warp 1, lane 0) of block (1, 0, 0)
//       kernels/barrier_after_early_return.cu:11: __syncthreads();
//       PTX line 42: bar.sync 0;
//   initcheck: read of uninitialized shared memory in kernel `faulty`: shared memory at byte 252, 28 times
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/barrier_after_early_return.cu:12: out[i] = tile[t] + tile[63 - t];
//       PTX line 48: ld.shared.f32 %f2, [%rd10];
//     element 63 of `tile`, which has 64 elements of 4 bytes
