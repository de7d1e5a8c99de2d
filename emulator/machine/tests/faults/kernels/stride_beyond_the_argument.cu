// The length of a row is in bytes and used in elements, so that each step is longer than the whole array.
//
// launch    --grid 1 --block 32 --arg f32[1024]=index --arg f32[65536]=2 --arg f32[32] --arg i32=128
// fixed     the length is divided by the size of an element

extern "C" __global__ void faulty(const float* a, const float* b, float* out, int row_bytes) {
    out[threadIdx.x] = a[threadIdx.x * row_bytes] + b[threadIdx.x];
}

extern "C" __global__ void fixed(const float* a, const float* b, float* out, int row_bytes) {
    const int width = row_bytes / (int)sizeof(float);
    out[threadIdx.x] = a[threadIdx.x * width] + b[threadIdx.x];
}

// compute-sanitizer: nothing: the buffers lie side by side on the GPU, so the elements are those of the next one.
//
// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of global memory at 0x700001000, just past the end of an allocation of 4096 bytes
//     by thread (8, 0, 0) (warp 0, lane 8) of block (0, 0, 0)
//       kernels/stride_beyond_the_argument.cu:7: out[threadIdx.x] = a[threadIdx.x * row_bytes] + b[threadIdx.x];
//       PTX line 31: ld.global.f32 %f1, [%rd8];
//     element 1024 of argument 1, which has 1024 elements (f32[1024])
