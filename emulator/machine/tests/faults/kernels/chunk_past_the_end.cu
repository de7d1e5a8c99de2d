// Each thread copies four points of a chunk, and n is not a multiple of the chunk.
//
// source    tutorial B, shared chunks of interleaved records (x, y, vx, vy, ax, ay)
// launch    --grid 1 --block 64 --arg f32[1200]=index --arg f32[64] --arg i32=200
// fixed     a point past the end is neither copied nor read

extern "C" __global__ void faulty(const float* bodies, float* out, int n) {
    __shared__ float2 chunk[256];
    const int t = threadIdx.x;
    for (int k = 4 * t; k < 4 * t + 4; k++) chunk[k] = make_float2(bodies[6 * k], bodies[6 * k + 1]);
    __syncthreads();
    float sum = 0.0f;
    for (int j = 0; j < n; j++) sum += chunk[j].x - chunk[j].y;
    out[t] = sum;
}

extern "C" __global__ void fixed(const float* bodies, float* out, int n) {
    __shared__ float2 chunk[256];
    const int t = threadIdx.x;
    for (int k = 4 * t; k < 4 * t + 4; k++) {
        if (k < n) chunk[k] = make_float2(bodies[6 * k], bodies[6 * k + 1]);
    }
    __syncthreads();
    float sum = 0.0f;
    for (int j = 0; j < n; j++) sum += chunk[j].x - chunk[j].y;
    out[t] = sum;
}

// compute-sanitizer: initcheck too, since memory past the end is uninitialized; the emulator stops at the bound.
//
// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 4 bytes of global memory at 0x7000012c4, 4 bytes past the end of an allocation of 4800 bytes
//     by thread (50, 0, 0) (warp 1, lane 18) of block (0, 0, 0)
//       kernels/chunk_past_the_end.cu:10: for (int k = 4 * t; k < 4 * t + 4; k++) chunk[k] = make_float2(bodies[6 * k], bodies[6 * k + 1]);
//       PTX line 34: ld.global.f32 %f9, [%rd10+4];
//     element 1201 of argument 1, which has 1200 elements (f32[1200])
