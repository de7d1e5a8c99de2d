// A thread hands the address of its local array to its neighbors, who find their own memory there.
//
// launch    --grid 1 --block 32 --arg i32[32]
// fixed     the array is in shared memory

extern "C" __global__ void faulty(int* out) {
    __shared__ int* handed;
    volatile int own[4];
    for (int k = 0; k < 4; ++k) own[k] = threadIdx.x + k;
    if (threadIdx.x == 0) handed = (int*)own;
    __syncthreads();
    out[threadIdx.x] = *(volatile int*)&handed[threadIdx.x % 4];
}

extern "C" __global__ void fixed(int* out) {
    __shared__ int first[4];
    if (threadIdx.x == 0) {
        for (int k = 0; k < 4; ++k) first[k] = k;
    }
    __syncthreads();
    out[threadIdx.x] = first[threadIdx.x % 4];
}

// compute-sanitizer: nothing: the address is one of local memory for each thread, and that it is another thread's is not known.
//
// cargo x check:
//   memcheck: use of an address of another thread's local memory (each thread has its own there) in kernel `faulty`: shared memory at byte 0, 31 times
//     write by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/local_address_handed_out.cu:10: if (threadIdx.x == 0) handed = (int*)own;
//       PTX line 39: st.shared.u64 [_ZZ6faultyE6handed], %rd2;
//     read by thread (1, 0, 0) (warp 0, lane 1) of block (0, 0, 0)
//       kernels/local_address_handed_out.cu:12: out[threadIdx.x] = *(volatile int*)&handed[threadIdx.x % 4];
//       PTX line 44: ld.shared.u64 %rd5, [_ZZ6faultyE6handed];
//     element 0 of `handed`, which has 1 element of 8 bytes
