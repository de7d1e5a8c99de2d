// Lanes exchange values through shared memory without __syncwarp: since Volta nothing orders stores before loads.
//
// launch    --grid 2 --block 32 --arg i32[64]
// fixed     __syncwarp in between

extern "C" __global__ void faulty(int* out) {
    __shared__ int tile[32];
    const int t = threadIdx.x;
    tile[t] = t * t;
    out[blockIdx.x * 32 + t] = tile[31 - t];
}

extern "C" __global__ void fixed(int* out) {
    __shared__ int tile[32];
    const int t = threadIdx.x;
    tile[t] = t * t;
    __syncwarp();
    out[blockIdx.x * 32 + t] = tile[31 - t];
}

// cargo x check:
//   racecheck: race within a warp (no __syncwarp between the write and the read) in kernel `faulty`: shared memory at byte 124, 64 times
//     write by thread (31, 0, 0) (warp 0, lane 31) of block (0, 0, 0)
//       kernels/warp_exchange_without_syncwarp.cu:9: tile[t] = t * t;
//       PTX line 25: st.shared.u32 [%rd5], %r2;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/warp_exchange_without_syncwarp.cu:10: out[blockIdx.x * 32 + t] = tile[31 - t];
//       PTX line 31: ld.shared.u32 %r5, [%rd7];
//     element 31 of `tile`, which has 32 elements of 4 bytes
