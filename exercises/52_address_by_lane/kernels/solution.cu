__constant__ float4 atom_chunk[1024];  // x, y, z^2, charge

// Point i is at x = i * spacing on a line.
extern "C" __global__ void potential(int count, float* potential, int n, float spacing) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = i * spacing;
    // >>> your code
    float sum = 0.0f;
    for (int a = 0; a < count; ++a) {
        const float4 atom = atom_chunk[a];
        const float dx = x - atom.x;
        sum += atom.w * rsqrtf(dx * dx + atom.y * atom.y + atom.z);
    }
    potential[i] = sum;
    // <<<
}
