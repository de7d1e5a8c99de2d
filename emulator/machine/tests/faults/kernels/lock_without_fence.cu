// A lock serializes blocks, but without a fence the stores of one are not guaranteed to be visible to the next.
//
// launch    --grid 4 --block 1 --arg i32[1]=0 --arg i32[1]=0
// fixed     __threadfence after acquiring the lock and before releasing it

extern "C" __global__ void faulty(int* lock, int* total) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *total += blockIdx.x + 1;
    atomicExch(lock, 0);
}

extern "C" __global__ void fixed(int* lock, int* total) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *total += blockIdx.x + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// compute-sanitizer: nothing: its racecheck covers only shared memory.
//
// cargo x check:
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x26f2001100, 3 times; the same line reads and writes it
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/lock_without_fence.cu:9: *total += blockIdx.x + 1;
//       PTX line 33: st.global.u32 [%rd1], %r7;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/lock_without_fence.cu:9: *total += blockIdx.x + 1;
//       PTX line 30: ld.global.u32 %r5, [%rd1];
//     element 0 of argument 2, i32[1]
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x26f2001100, 3 times; the same line reads and writes it
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/lock_without_fence.cu:9: *total += blockIdx.x + 1;
//       PTX line 30: ld.global.u32 %r5, [%rd1];
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/lock_without_fence.cu:9: *total += blockIdx.x + 1;
//       PTX line 33: st.global.u32 [%rd1], %r7;
//     element 0 of argument 2, i32[1]
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x26f2001100, 3 times
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/lock_without_fence.cu:9: *total += blockIdx.x + 1;
//       PTX line 33: st.global.u32 [%rd1], %r7;
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/lock_without_fence.cu:9: *total += blockIdx.x + 1;
//       PTX line 33: st.global.u32 [%rd1], %r7;
//     element 0 of argument 2, i32[1]
