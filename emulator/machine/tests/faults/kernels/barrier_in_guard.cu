// A barrier inside the bounds check: threads past the end never reach it.
//
// source    tutorial A, shared-memory kernel
// launch    --grid 2 --block 64 --arg f32[100]=index --arg f32[100] --arg i32=100
// fixed     the check guards only the accesses, and all threads reach the barriers

extern "C" __global__ void faulty(const float* in, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i < n) {
        tile[t] = in[i];
        __syncthreads();
        out[i] = tile[t] + tile[t ^ 1];
    }
}

extern "C" __global__ void fixed(const float* in, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = tile[t] + tile[t ^ 1];
}

// compute-sanitizer: nothing, and the kernel completes: threads that skip the barrier exit, and the hardware does not
// wait for threads that have exited. CUDA C++ does not guarantee this for a barrier in conditional code.
//
// cargo x check:
//   synccheck: barrier with divergent threads in a warp in kernel `faulty`, 4 times
//     executed by thread (32, 0, 0) (warp 1, lane 0) of block (1, 0, 0)
//       kernels/barrier_in_guard.cu:12: __syncthreads();
//       PTX line 42: bar.sync 0;
