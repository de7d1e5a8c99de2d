// A thread's local array has four elements, and the loop that fills it executes as many iterations as the host passes.
//
// launch    --grid 1 --block 32 --arg i32[32] --arg i32=6 --arg i32=1
// fixed     at most four iterations

extern "C" __global__ void faulty(int* out, int turns, int pick) {
    int own[4] = {0, 0, 0, 0};
#pragma unroll 1
    for (int k = 0; k < turns; k++) own[k] = k * threadIdx.x;
    out[threadIdx.x] = own[pick];
}

extern "C" __global__ void fixed(int* out, int turns, int pick) {
    int own[4] = {0, 0, 0, 0};
#pragma unroll 1
    for (int k = 0; k < min(turns, 4); k++) own[k] = k * threadIdx.x;
    out[threadIdx.x] = own[pick];
}

// compute-sanitizer: nothing: memcheck knows the bounds of a thread's local memory, but not those of the array in it.
//
// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of local memory at 0x10, which is 16 bytes long
//     by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/local_array_overrun.cu:9: for (int k = 0; k < turns; k++) own[k] = k * threadIdx.x;
//       PTX line 39: st.local.u32 [%rd11], %r13;
