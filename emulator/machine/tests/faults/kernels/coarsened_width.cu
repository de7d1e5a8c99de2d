// Each thread writes eight points of a row, 16 apart, without a bounds check. If the width is not a multiple of 128, a
// block writes past the end of its row, and in the last row past the end of the buffer.
//
// source    tutorial E, coarsened and coalesced
// launch    --grid 2,2 --block 16 --arg f32[400] --arg i32=200
// fixed     each point is checked

extern "C" __global__ void faulty(float* potential, int width) {
    const int first = blockIdx.x * 128 + threadIdx.x, row = blockIdx.y;
    for (int k = 0; k < 8; k++) potential[row * width + first + 16 * k] = 1000 * row + first + 16 * k;
}

extern "C" __global__ void fixed(float* potential, int width) {
    const int first = blockIdx.x * 128 + threadIdx.x, row = blockIdx.y;
    for (int k = 0; k < 8; k++) {
        const int x = first + 16 * k;
        if (x < width) potential[row * width + x] = 1000 * row + x;
    }
}

// compute-sanitizer: only memcheck: its racecheck covers only shared memory.
//
// cargo x check:
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x700000320, 56 times
//     write by thread (8, 0, 0) (warp 0, lane 8) of block (1, 0, 0)
//       kernels/coarsened_width.cu:10: for (int k = 0; k < 8; k++) potential[row * width + first + 16 * k] = 1000 * row + first + 16 * k;
//       PTX line 44: st.global.f32 [%rd4+256], %f5;
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 1, 0)
//       kernels/coarsened_width.cu:10: for (int k = 0; k < 8; k++) potential[row * width + first + 16 * k] = 1000 * row + first + 16 * k;
//       PTX line 32: st.global.f32 [%rd4], %f1;
//     element 200 of argument 1, f32[400]
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of global memory at 0x700000640, just past the end of an allocation of 1600 bytes
//     by thread (8, 0, 0) (warp 0, lane 8) of block (1, 1, 0)
//       kernels/coarsened_width.cu:10: for (int k = 0; k < 8; k++) potential[row * width + first + 16 * k] = 1000 * row + first + 16 * k;
//       PTX line 44: st.global.f32 [%rd4+256], %f5;
//     element 400 of argument 1, which has 400 elements (f32[400])
