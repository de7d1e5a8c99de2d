// Every other lane of a warp computes, and the others hold what would be subnormal as a float. half_active.ptx was compiled
// of this by NVRTC 12.1 for compute_75.

extern "C" __global__ void halfActive(float* out, float inactive, int rounds) {
    const int t = threadIdx.x;
    float x = t & 1 ? inactive : 1.0f + t;
    if (!(t & 1)) {
#pragma unroll 1
        for (int i = 0; i < rounds; i++) x = x * 0.999f + 0.001f;
    }
    out[t + blockIdx.x * blockDim.x] = x;
}
