// Each thread adds to a total and then loads it, while other blocks still add.
//
// launch    --grid 4 --block 32 --arg i32[1]=0 --arg i32[128]
// fixed     the total before its own addition, which the atomic returns

extern "C" __global__ void faulty(int* total, int* place) {
    atomicAdd(total, 1);
    place[blockIdx.x * blockDim.x + threadIdx.x] = *total;
}

extern "C" __global__ void fixed(int* total, int* place) {
    place[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(total, 1);
}

// compute-sanitizer: nothing: its racecheck covers only shared memory.
//
// cargo x check:
//   racecheck: race between blocks in kernel `faulty`: global memory at 0x700000000, 96 times
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/read_beside_atomics.cu:8: place[blockIdx.x * blockDim.x + threadIdx.x] = *total;
//       PTX line 23: ld.global.u32 %r2, [%rd4];
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/read_beside_atomics.cu:7: atomicAdd(total, 1);
//       PTX line 21: atom.global.add.u32 %r1, [%rd4], 1;
//     element 0 of argument 1, i32[1]
//   racecheck: race within a warp (no __syncwarp between the write and the read) in kernel `faulty`: global memory at 0x700000000, 128 times
//     write by thread (31, 0, 0) (warp 0, lane 31) of block (0, 0, 0)
//       kernels/read_beside_atomics.cu:7: atomicAdd(total, 1);
//       PTX line 21: atom.global.add.u32 %r1, [%rd4], 1;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/read_beside_atomics.cu:8: place[blockIdx.x * blockDim.x + threadIdx.x] = *total;
//       PTX line 23: ld.global.u32 %r2, [%rd4];
//     element 0 of argument 1, i32[1]
