// No barrier between reading a tile and loading the next one: a fast warp overwrites what a slow one still reads.
//
// launch    --grid 1 --block 64 --arg f32[128]=index --arg f32[64]
// fixed     a second barrier at the end of the loop

extern "C" __global__ void faulty(const float* in, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int first = 0; first < 128; first += 64) {
        tile[t] = in[first + t];
        __syncthreads();
        sum += tile[63 - t];
    }
    out[t] = sum;
}

extern "C" __global__ void fixed(const float* in, float* out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int first = 0; first < 128; first += 64) {
        tile[t] = in[first + t];
        __syncthreads();
        sum += tile[63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

// cargo x check:
//   racecheck: race between warps in kernel `faulty`: shared memory at byte 0, 64 times
//     read by thread (63, 0, 0) (warp 1, lane 31) of block (0, 0, 0)
//       kernels/barrier_missing_before_next_tile.cu:14: sum += tile[63 - t];
//       PTX line 45: ld.shared.f32 %f5, [%rd4];
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/barrier_missing_before_next_tile.cu:12: tile[t] = in[first + t];
//       PTX line 41: st.shared.f32 [%rd3], %f4;
//     element 0 of `tile`, which has 64 elements of 4 bytes
