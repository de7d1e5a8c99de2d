// Old and new state are halves of one array, selected by the step, but both use the same half: a body reads neighbors
// some of which have already moved.
//
// source    the reason for tutorial D's double buffering
// launch    --grid 2 --block 64 --arg f32[256]=index --arg i32=0
// fixed     the new state is the other half

extern "C" __global__ void faulty(float* states, int step) {
    const float* before = states + (step % 2) * 128;
    float* after = states + (step % 2) * 128;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    after[i] = 0.5f * (before[i] + before[(i + 64) % 128]);
}

extern "C" __global__ void fixed(float* states, int step) {
    const float* before = states + (step % 2) * 128;
    float* after = states + ((step + 1) % 2) * 128;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    after[i] = 0.5f * (before[i] + before[(i + 64) % 128]);
}

// compute-sanitizer: nothing: its racecheck covers only shared memory.
//
// cargo x check:
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x700000000, 64 times; the same line reads and writes it
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/double_buffer_not_swapped.cu:12: after[i] = 0.5f * (before[i] + before[(i + 64) % 128]);
//       PTX line 50: st.global.f32 [%rd7], %f4;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/double_buffer_not_swapped.cu:12: after[i] = 0.5f * (before[i] + before[(i + 64) % 128]);
//       PTX line 47: ld.global.f32 %f2, [%rd9];
//     element 0 of argument 1, f32[256]
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x700000100, 64 times; the same line reads and writes it
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/double_buffer_not_swapped.cu:12: after[i] = 0.5f * (before[i] + before[(i + 64) % 128]);
//       PTX line 47: ld.global.f32 %f2, [%rd9];
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/double_buffer_not_swapped.cu:12: after[i] = 0.5f * (before[i] + before[(i + 64) % 128]);
//       PTX line 50: st.global.f32 [%rd7], %f4;
//     element 64 of argument 1, f32[256]
