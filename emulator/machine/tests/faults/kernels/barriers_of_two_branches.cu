// One warp waits at the barrier of one branch, and the other warp at that of the other branch.
//
// launch    --grid 1 --block 64 --arg f32[64]=index
// fixed     the barrier follows the first branch

extern "C" __global__ void faulty(float* x) {
    __shared__ float half[32];
    if (threadIdx.x < 32) {
        half[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
    } else {
        __syncthreads();
        x[threadIdx.x] = half[threadIdx.x - 32];
    }
}

extern "C" __global__ void fixed(float* x) {
    __shared__ float half[32];
    if (threadIdx.x < 32) half[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 32) x[threadIdx.x] = half[threadIdx.x - 32];
}

// cargo x check:
//   synccheck: barriers of different branches (all threads of the block must take the branch of a __syncthreads) in kernel `faulty`, 32 times
//     executed by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/barriers_of_two_branches.cu:10: __syncthreads();
//       PTX line 38: bar.sync 0;
//     executed by thread (32, 0, 0) (warp 1, lane 0) of block (0, 0, 0)
//       kernels/barriers_of_two_branches.cu:12: __syncthreads();
//       PTX line 42: bar.sync 0;
