// A block passes a value to another with fences that order memory for its own block alone.
//
// launch    --grid 2 --block 32 --arg i32[1]=0 --arg i32[1] --arg i32[1]
// fixed     the fences are those of the device

extern "C" __global__ void faulty(volatile int* flag, int* value, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *value = 7;
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence_block();
        *out = *value;
    }
}

extern "C" __global__ void fixed(volatile int* flag, int* value, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *value = 7;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        *out = *value;
    }
}

// compute-sanitizer: nothing: its racecheck covers only shared memory.
//
// cargo x check:
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x26f2001100, once
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/fence_of_one_block.cu:9: *value = 7;
//       PTX line 47: st.global.u32 [%rd1], %r5;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/fence_of_one_block.cu:16: *out = *value;
//       PTX line 41: ld.global.u32 %r4, [%rd1];
//     element 0 of argument 2, i32[1]
