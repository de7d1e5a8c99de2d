// Each side of a branch within a warp has its own barrier: half of the warp reaches each.
//
// launch    --grid 1 --block 64 --arg i32[64]
// fixed     one barrier after the branch

extern "C" __global__ void faulty(int* out) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    if (t % 2 == 0) {
        tile[t] = t;
        __syncthreads();
        out[t] = tile[t + 1];
    } else {
        tile[t] = -t;
        __syncthreads();
        out[t] = tile[t - 1];
    }
}

extern "C" __global__ void fixed(int* out) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    tile[t] = t % 2 == 0 ? t : -t;
    __syncthreads();
    out[t] = tile[t ^ 1];
}

// cargo x check:
//   synccheck: barrier with divergent threads in a warp in kernel `faulty`, 32 times
//     executed by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/barrier_in_branch.cu:11: __syncthreads();
//       PTX line 37: bar.sync 0;
//   synccheck: barrier with divergent threads in a warp in kernel `faulty`, 32 times
//     executed by thread (1, 0, 0) (warp 0, lane 1) of block (0, 0, 0)
//       kernels/barrier_in_branch.cu:15: __syncthreads();
//       PTX line 45: bar.sync 0;
