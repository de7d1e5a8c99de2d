// All lanes execute a shuffle whose mask contains only the lower half.
//
// launch    --grid 1 --block 32 --arg i32[32]
// fixed     the mask contains all lanes

extern "C" __global__ void faulty(int* out) {
    out[threadIdx.x] = __shfl_xor_sync(0x0000ffff, threadIdx.x * 3, 1);
}

extern "C" __global__ void fixed(int* out) {
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, threadIdx.x * 3, 1);
}

// compute-sanitizer: nothing: synccheck covers barriers, including __syncwarp, but not shuffles.
//
// cargo x check:
//   synccheck: member mask that omits the calling lane in kernel `faulty`, 16 times
//     executed by thread (16, 0, 0) (warp 0, lane 16) of block (0, 0, 0)
//       kernels/shuffle_mask_without_caller.cu:7: out[threadIdx.x] = __shfl_xor_sync(0x0000ffff, threadIdx.x * 3, 1);
//       PTX line 24: shfl.sync.bfly.b32 %r6|%p1, %r2, %r4, %r3, %r5;
