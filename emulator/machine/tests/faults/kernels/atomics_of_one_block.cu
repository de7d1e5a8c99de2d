// Blocks count with an atomic whose scope is a block. Between blocks it is none.
//
// launch    --grid 64 --block 32 --arg i32[1]=0
// fixed     the scope is the device

extern "C" __global__ void faulty(int* total) {
    atomicAdd_block(total, 1);
}

extern "C" __global__ void fixed(int* total) {
    atomicAdd(total, 1);
}

// compute-sanitizer: nothing: it looks at no races in global memory, and the total of a run may even be right.
//
// cargo x check:
//   racecheck: race between blocks (an atomic of the scope of a block is none for the other blocks) in kernel `faulty`: global memory at 0x700000000, 63 times
//     write by thread (31, 0, 0) (warp 0, lane 31) of block (0, 0, 0)
//       kernels/atomics_of_one_block.cu:7: atomicAdd_block(total, 1);
//       PTX line 18: atom.global.cta.add.u32 %r1, [%rd2], 1;
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (1, 0, 0)
//       kernels/atomics_of_one_block.cu:7: atomicAdd_block(total, 1);
//       PTX line 18: atom.global.cta.add.u32 %r1, [%rd2], 1;
//     element 0 of argument 1, i32[1]
