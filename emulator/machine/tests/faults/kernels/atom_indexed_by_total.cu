// The array of atoms is indexed by their number instead of the loop variable: one element past the end.
//
// source    tutorial E, pseudo-code
// launch    --grid 1 --block 32 --arg f32[200]=1 --arg f32[32] --arg i32=50
// fixed     the loop variable

extern "C" __global__ void faulty(const float4* atoms, float* potential, int count) {
    const float x = threadIdx.x;
    float sum = 0.0f;
    for (int atom = 0; atom < count; atom++) {
        const float dx = x - atoms[count].x;
        sum += atoms[count].w * rsqrtf(dx * dx + atoms[count].z);
    }
    potential[threadIdx.x] = sum;
}

extern "C" __global__ void fixed(const float4* atoms, float* potential, int count) {
    const float x = threadIdx.x;
    float sum = 0.0f;
    for (int atom = 0; atom < count; atom++) {
        const float dx = x - atoms[atom].x;
        sum += atoms[atom].w * rsqrtf(dx * dx + atoms[atom].z);
    }
    potential[threadIdx.x] = sum;
}

// cargo x check:
//   memcheck: out-of-bounds access in kernel `faulty`: 16 bytes of global memory at 0x700000320, just past the end of an allocation of 800 bytes
//     by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)
//       kernels/atom_indexed_by_total.cu:8: const float x = threadIdx.x;
//       PTX line 32: ld.global.v4.f32 {%f12, %f13, %f14, %f15}, [%rd5];
//     element 200 of argument 1, which has 200 elements (f32[200])
