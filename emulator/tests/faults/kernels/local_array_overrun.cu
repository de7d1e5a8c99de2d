// A thread's own array has four elements, and the loop that fills it takes as many turns as the host says.
//
// launch    --grid 1 --block 32 --arg i32[32] --arg i32=6 --arg i32=1
// fixed     four turns at most

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

// compute-sanitizer: nothing: memcheck knows where a thread's local memory ends, and not where its array does.
//
// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of local memory at 0x10, where there are 16 bytes
//     by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/local_array_overrun.cu:9: for (int k = 0; k < turns; k++) own[k] = k * threadIdx.x;
//       PTX line 54: st.local.u32 [%rd11], %r13;
