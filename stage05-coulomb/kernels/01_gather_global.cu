// potential(x, y) = sum_a q_a / sqrt((x - x_a)^2 + (y - y_a)^2 + z_a^2) at the points of a grid in the plane z = 0.
//
// shapes      atoms: (atom_count) of float4 (x_a, y_a, z_a^2, q_a), z_a squared beforehand, atom_count >= 1; potential:
//             (height, width), the point in row r and column c at x = c * spacing, y = r * spacing
// launch      a two-dimensional grid of at least ceil(width / block.x) x ceil(height / block.y) blocks, any block size.
//             All sizes are arbitrary: threads outside of the grid of points return. Indices are 32-bit:
//             width * height < 2^31. An atom on a grid point gives no finite result.
// bottleneck  baseline: the three nested loops of the CPU version handle one point and one atom at a time.
// idea        gather: one thread per grid point, which reads all atoms. Its sum stays in a register, and no other
//             thread writes its point, so that no atomic operations are needed.
// expected    atom load: all lanes at one address, 16 bytes, 1 request of 1 sector. Potential, blocks of 16 x 16: the
//             warp's two rows of 16 points, 1 request of 4 sectors if width is a multiple of 8.

extern "C" __global__ void coulombGather(const float4* __restrict__ atoms, int atom_count,
                                         float* __restrict__ potential, int width, int height, float spacing) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;  // [0, grid.x * block.x)
    const int row = blockIdx.y * blockDim.y + threadIdx.y;     // [0, grid.y * block.y)
    if (column >= width || row >= height) return;

    const float x = spacing * column, y = spacing * row;
    float sum = 0.0f;
    for (int a = 0; a < atom_count; ++a) {
        const float4 atom = atoms[a];
        const float dx = x - atom.x, dy = y - atom.y;
        sum += atom.w * rsqrtf(dx * dx + dy * dy + atom.z);
    }

    potential[row * width + column] = sum;
}
