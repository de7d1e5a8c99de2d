// potential(x, y) = sum_a q_a / sqrt((x - x_a)^2 + (y - y_a)^2 + z_a^2) at the points of a grid in the plane z = 0.
//
// shapes    atom_chunk: (CHUNK) of float4 (x_a, y_a, z_a^2, q_a), z_a squared beforehand, of which the host fills
//           atom_count, in [1, CHUNK], before each launch; potential: (height, width), the point in row r and column c
//           at x = c * spacing, y = r * spacing; 0 before the first launch
// launch    one launch per chunk, one after the other; two dimensions, ceil(width / 128) x ceil(height / block.y)
//           blocks or more, block.x = 16, any block.y; nothing must divide anything: points outside of the grid are not
//           stored. Indices are 32-bit: width * height < 2^31. An atom on a point gives no finite answer.
// cost      03: one load of constants per atom per point, and dy^2 + z^2 computed again for each point of a row.
//           Counters: constant_load_requests, warp_instructions.
// idea      a thread takes eight neighboring points of a row: one load and one dy^2 + z^2 for all eight.
// expected  constant requests: an eighth. Potential: as many requests as 03, but with lanes 32 bytes apart each has 32
//           sectors in place of 4.

constexpr int CHUNK = 4096;  // atoms in 64 KB, all the constant memory there is
__constant__ float4 atom_chunk[CHUNK];

extern "C" __global__ void coulombCoarsened(int atom_count, float* __restrict__ potential, int width, int height,
                                            float spacing) {
    constexpr int BLOCK_X = 16;
    constexpr int POINTS = 8;                                         // points of a thread, all in one row
    const int first = (blockIdx.x * BLOCK_X + threadIdx.x) * POINTS;  // column of the first point
    const int row = blockIdx.y * blockDim.y + threadIdx.y;            // [0, grid.y * block.y)
    if (row >= height) return;

    const float x = spacing * first, y = spacing * row;
    const float step = spacing;  // from a point of the thread to its next
    float sums[POINTS] = {};
    for (int a = 0; a < atom_count; ++a) {
        const float4 atom = atom_chunk[a];
        const float dx = x - atom.x, dy = y - atom.y;
        const float off_row = dy * dy + atom.z;
#pragma unroll
        for (int k = 0; k < POINTS; ++k) {
            const float dx_k = dx + k * step;
            sums[k] += atom.w * rsqrtf(dx_k * dx_k + off_row);
        }
    }

#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
        const int column = first + k;
        if (column < width) potential[row * width + column] += sums[k];
    }
}
