// The bounds of x and y are swapped: a matrix that is not square is accessed past its end.
//
// launch    --grid 2,2 --block 16,16 --arg f32[320]=index --arg f32[320] --arg i32=16 --arg i32=20
// fixed     x is compared with the width, y with the height

extern "C" __global__ void faulty(const float* in, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < height && y < width) out[x * height + y] = in[y * width + x];
}

extern "C" __global__ void fixed(const float* in, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of global memory at 0x26f2001a00, just past the end of an allocation of 1280 bytes
//     by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/transpose_bounds_swapped.cu:8: if (x < height && y < width) out[x * height + y] = in[y * width + x];
//       PTX line 51: st.global.f32 [%rd8], %f1;
//     element 320 of argument 2, which has 320 elements (f32[320])
