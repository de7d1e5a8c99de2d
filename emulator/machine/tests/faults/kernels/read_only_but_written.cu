// Values that the kernel stores are loaded through the read-only cache, which need not have them.
//
// launch    --grid 1 --block 64 --arg f32[64]=0 --arg f32[64]
// fixed     an ordinary load

extern "C" __global__ void faulty(float* x, float* out) {
    x[threadIdx.x] = 2.0f * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = __ldg(&x[63 - threadIdx.x]);
}

extern "C" __global__ void fixed(float* x, float* out) {
    x[threadIdx.x] = 2.0f * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = x[63 - threadIdx.x];
}

// compute-sanitizer: nothing: it has no check of read-only loads.
//
// cargo x check:
//   racecheck: read-only load (__ldg or const __restrict__) of memory that the launch writes, which it need not see, in kernel `faulty`: global memory at 0x7000000fc, 64 times
//     write by thread (63, 0, 0) (warp 1, lane 31) of block (0, 0, 0)
//       kernels/read_only_but_written.cu:7: x[threadIdx.x] = 2.0f * threadIdx.x;
//       PTX line 27: st.global.f32 [%rd7], %f3;
//     read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/read_only_but_written.cu:9: out[threadIdx.x] = __ldg(&x[63 - threadIdx.x]);
//       PTX line 35: ld.global.nc.f32 %f1, [%rd1];
//     element 63 of argument 1, f32[64]
