__constant__ float4 atom_chunk[1024];  // x, y, z^2, charge

// Point i is at x = i * spacing on a line. Each thread computes four points.
extern "C" __global__ void potential(int count, float* potential, int n, float spacing) {
    // >>> your code
    const int first = blockIdx.x * 512 + threadIdx.x;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int a = 0; a < count; ++a) {
        const float4 atom = atom_chunk[a];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float dx = (first + k * 128) * spacing - atom.x;
            sum[k] += atom.w * rsqrtf(dx * dx + atom.y * atom.y + atom.z);
        }
    }
    for (int k = 0; k < 4; ++k) {
        if (first + k * 128 < n) potential[first + k * 128] = sum[k];
    }
    // <<<
}
