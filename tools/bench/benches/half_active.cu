// Every other lane of a warp computes; the others hold a subnormal value. half_active.ptx was compiled from this file by
// NVRTC 12.1 for compute_75.

extern "C" __global__ void halfActive(float* out, float inactive, int rounds) {
    const int t = threadIdx.x;
    float x = t & 1 ? inactive : 1.0f + t;
    if (!(t & 1)) {
#pragma unroll 1
        for (int i = 0; i < rounds; i++) x = x * 0.999f + 0.001f;
    }
    out[t + blockIdx.x * blockDim.x] = x;
}
