// Both halves of a warp execute a shuffle with a mask of all lanes, each in its own branch. The shuffles combine, and
// each half reads the values that the other shuffle supplies.
//
// launch    --grid 1 --block 32 --arg i32[32]
// fixed     one shuffle before the branch

extern "C" __global__ void faulty(int* out) {
    const int t = threadIdx.x;
    if (t < 16) {
        out[t] = __shfl_xor_sync(0xffffffff, t * 10, 16) + 1;
    } else {
        out[t] = __shfl_xor_sync(0xffffffff, t * 20, 16) * 2;
    }
}

extern "C" __global__ void fixed(int* out) {
    const int t = threadIdx.x;
    const int other = __shfl_xor_sync(0xffffffff, t < 16 ? t * 10 : t * 20, 16);
    out[t] = t < 16 ? other + 1 : other * 2;
}

// compute-sanitizer: nothing: synccheck covers barriers, including __syncwarp, but not shuffles.
//
// cargo x check:
//   synccheck: warp-level instruction executed at different lines by parts of a warp in kernel `faulty`, 32 times
//     executed by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/shuffles_in_both_branches.cu:10: out[t] = __shfl_xor_sync(0xffffffff, t * 10, 16) + 1;
//       PTX line 29: shfl.sync.bfly.b32 %r14|%p3, %r10, %r12, %r11, %r13;
//     executed by thread (16, 0, 0) (warp 0, lane 16) of block (0, 0, 0)
//       kernels/shuffles_in_both_branches.cu:12: out[t] = __shfl_xor_sync(0xffffffff, t * 20, 16) * 2;
//       PTX line 38: shfl.sync.bfly.b32 %r9|%p2, %r5, %r7, %r6, %r8;
