// A grid-stride loop that contains a barrier, and whose threads leave it after different numbers of iterations.
//
// source    tutorial A, tiled kernels
// launch    --grid 1 --block 64 --arg f32[80]=index --arg f32[80] --arg i32=80
// fixed     the loop runs over whole blocks of elements, so that all threads execute the same number of iterations

extern "C" __global__ void faulty(const float* in, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        tile[t] = in[i];
        __syncthreads();
        out[i] = tile[t] + tile[t ^ 1];
        __syncthreads();
    }
}

extern "C" __global__ void fixed(const float* in, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
        const int i = first + t;
        tile[t] = i < n ? in[i] : 0.0f;
        __syncthreads();
        if (i < n) out[i] = tile[t] + tile[t ^ 1];
        __syncthreads();
    }
}

// compute-sanitizer: nothing, and the kernel completes: threads that skip the barrier exit, and the hardware does not
// wait for threads that have exited. CUDA C++ does not guarantee this for a barrier in conditional code.
//
// cargo x check:
//   synccheck: barrier with divergent threads in a warp in kernel `faulty`, 16 times
//     executed by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/barrier_in_grid_stride_loop.cu:12: __syncthreads();
//       PTX line 51: bar.sync 0;
