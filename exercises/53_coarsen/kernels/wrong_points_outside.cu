// must fail with limits: constant load requests
__constant__ float4 atom_chunk[1024];  // x, y, z^2, charge

// Point i is at x = i * spacing on a line. Each thread computes four points.
extern "C" __global__ void potential(int count, float* potential, int n, float spacing) {
    // >>> your code
    const int first = blockIdx.x * 512 + threadIdx.x;
    for (int i = first; i < n && i < first + 512; i += 128) {
        const float x = i * spacing;
        float sum = 0.0f;
        for (int a = 0; a < count; ++a) {
            const float4 atom = atom_chunk[a];
            const float dx = x - atom.x;
            sum += atom.w * rsqrtf(dx * dx + atom.y * atom.y + atom.z);
        }
        potential[i] = sum;
    }
    // <<<
}
