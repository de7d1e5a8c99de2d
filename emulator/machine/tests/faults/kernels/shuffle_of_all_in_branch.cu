// The mask of a shuffle in a branch contains all 32 lanes, half of which wait at a barrier in the other branch.
//
// launch    --grid 1 --block 32 --arg i32[32]
// fixed     the shuffle precedes the branch

extern "C" __global__ void faulty(int* out) {
    const int t = threadIdx.x;
    int value = t;
    if (t < 16) {
        value = __shfl_xor_sync(0xffffffff, value, 1);
    } else {
        __syncthreads();
    }
    out[t] = value;
}

extern "C" __global__ void fixed(int* out) {
    const int t = threadIdx.x;
    const int other = __shfl_xor_sync(0xffffffff, t, 1);
    __syncthreads();
    out[t] = t < 16 ? other : t;
}

// cargo x check:
//   synccheck: barrier with divergent threads in a warp in kernel `faulty`, 16 times
//     executed by thread (16, 0, 0) (warp 0, lane 16) of block (0, 0, 0)
//       kernels/shuffle_of_all_in_branch.cu:12: __syncthreads();
//       PTX line 32: bar.sync 0;
//   synccheck: deadlock in kernel `faulty`: no thread of the block can continue
//       lanes 16-31 of warp 0: at barrier 0 (kernels/shuffle_of_all_in_branch.cu:12, PTX line 32)
//       lanes 0-15 of warp 0: waiting for lanes 16-31 (kernels/shuffle_of_all_in_branch.cu:10, PTX line 28)
//     by thread (16, 0, 0) (warp 0, lane 16) of block (0, 0, 0)
//       kernels/shuffle_of_all_in_branch.cu:12: __syncthreads();
//       PTX line 32: bar.sync 0;
