// All lanes execute a __syncwarp whose mask contains only the lower half.
//
// launch    --grid 1 --block 32 --arg i32[32]
// fixed     the mask contains all lanes

extern "C" __global__ void faulty(int* out) {
    __shared__ int tile[32];
    const int t = threadIdx.x;
    tile[t] = t;
    __syncwarp(0x0000ffff);
    out[t] = tile[t ^ 1];
}

extern "C" __global__ void fixed(int* out) {
    __shared__ int tile[32];
    const int t = threadIdx.x;
    tile[t] = t;
    __syncwarp(0xffffffff);
    out[t] = tile[t ^ 1];
}

// cargo x check:
//   synccheck: member mask that omits the calling lane in kernel `faulty`, 16 times
//     executed by thread (16, 0, 0) (warp 0, lane 16) of block (0, 0, 0)
//       kernels/syncwarp_mask_without_caller.cu:10: __syncwarp(0x0000ffff);
//       PTX line 26: bar.warp.sync 65535;
//   racecheck: race within a warp (no __syncwarp between the write and the read) in kernel `faulty`: shared memory at byte 68, 16 times
//     write by thread (17, 0, 0) (warp 0, lane 17) of block (0, 0, 0)
//       kernels/syncwarp_mask_without_caller.cu:9: tile[t] = t;
//       PTX line 24: st.shared.u32 [%rd5], %r1;
//     read by thread (16, 0, 0) (warp 0, lane 16) of block (0, 0, 0)
//       kernels/syncwarp_mask_without_caller.cu:11: out[t] = tile[t ^ 1];
//       PTX line 30: ld.shared.u32 %r2, [%rd7];
//     element 17 of `tile`, which has 32 elements of 4 bytes
