// Sixteen lanes execute a shuffle, and the upper half of them reads from lanes that do not.
//
// launch    --grid 1 --block 32 --arg i32[16]
// fixed     segments of 16 lanes: a lane without a source in its segment reads its own value

extern "C" __global__ void faulty(int* out) {
    const int t = threadIdx.x;
    if (t < 16) out[t] = t + __shfl_down_sync(0x0000ffff, t, 8);
}

extern "C" __global__ void fixed(int* out) {
    const int t = threadIdx.x;
    if (t < 16) out[t] = t + __shfl_down_sync(0x0000ffff, t, 8, 16);
}

// compute-sanitizer: nothing: synccheck covers barriers, including __syncwarp, but not shuffles.
//
// cargo x check:
//   synccheck: shuffle from an inactive lane in kernel `faulty`, 8 times
//     executed by thread (8, 0, 0) (warp 0, lane 8) of block (0, 0, 0)
//       kernels/shuffle_from_inactive_lane.cu:8: if (t < 16) out[t] = t + __shfl_down_sync(0x0000ffff, t, 8);
//       PTX line 28: shfl.sync.down.b32 %r5|%p2, %r1, %r3, %r2, %r4;
