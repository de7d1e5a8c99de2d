// Row times pitch in 32 bits: row 40000 at 65536 bytes per row overflows an int, and the index is negative.
//
// launch    --grid 1 --block 32 --arg u8[64]=1 --arg u32[32] --arg i32=65536 --arg i32=40000
// fixed     64-bit arithmetic

extern "C" __global__ void faulty(const unsigned char* image, unsigned int* out, int pitch, int row) {
    const int i = row * pitch + threadIdx.x;
    if (i < 64) out[threadIdx.x] = image[i];
}

extern "C" __global__ void fixed(const unsigned char* image, unsigned int* out, int pitch, int row) {
    const long long i = (long long)row * pitch + threadIdx.x;
    if (i < 64) out[threadIdx.x] = image[i];
}

// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 1 byte of global memory at 0x69c400000, not in any allocation
//     by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/index_overflow.cu:8: if (i < 64) out[threadIdx.x] = image[i];
//       PTX line 34: ld.global.u8 %r5, [%rd5];
//     element -1673527296 of argument 1, which has 64 elements (u8[64])
