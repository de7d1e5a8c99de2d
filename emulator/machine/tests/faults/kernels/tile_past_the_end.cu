// Tiles are loaded without a bounds check: if n is not a multiple of the block size, the last one extends past the end.
//
// source    tutorial A, shared-memory kernels
// launch    --grid 2 --block 64 --arg f32[100]=index --arg f32[100] --arg i32=100
// fixed     elements past the end count as zero

extern "C" __global__ void faulty(const float* in, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float sum = 0.0f;
    for (int first = 0; first < n; first += 64) {
        tile[t] = in[first + t];
        __syncthreads();
        for (int j = 0; j < 64; j++) sum += tile[j];
        __syncthreads();
    }
    if (i < n) out[i] = sum;
}

extern "C" __global__ void fixed(const float* in, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float sum = 0.0f;
    for (int first = 0; first < n; first += 64) {
        tile[t] = first + t < n ? in[first + t] : 0.0f;
        __syncthreads();
        for (int j = 0; j < 64; j++) sum += tile[j];
        __syncthreads();
    }
    if (i < n) out[i] = sum;
}

// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of global memory at 0x700000190, just past the end of an allocation of 400 bytes
//     by thread (36, 0, 0) (warp 1, lane 4) of block (0, 0, 0)
//       kernels/tile_past_the_end.cu:12: tile[t] = in[first + t];
//       PTX line 43: ld.global.f32 %f6, [%rd13];
//     element 100 of argument 1, which has 100 elements (f32[100])
