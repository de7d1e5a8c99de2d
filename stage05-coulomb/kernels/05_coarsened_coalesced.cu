// potential(x, y) = sum_a q_a / sqrt((x - x_a)^2 + (y - y_a)^2 + z_a^2) at the points of a grid in the plane z = 0.
//
// shapes    atom_chunk: (CHUNK) of float4 (x_a, y_a, z_a^2, q_a), z_a squared beforehand, of which the host fills
//           atom_count, in [1, CHUNK], before each launch; potential: (height, width), the point in row r and column c
//           at x = c * spacing, y = r * spacing; 0 before the first launch
// launch    one launch per chunk, one after the other; two dimensions, ceil(width / 128) x ceil(height / block.y)
//           blocks or more, block.x = 16, any block.y; nothing must divide anything: points outside of the grid are not
//           stored. Indices are 32-bit: width * height < 2^31. An atom on a point gives no finite answer.
// cost      04: the points of neighboring threads lie 32 bytes apart, so that each request for the potential touches
//           32 sectors. Counters: global_load_sectors and global_store_sectors over their requests.
// idea      a thread's eight points lie 16 apart, one block's width: neighboring threads take neighboring points.
// expected  potential: a warp is two rows of 16 threads, 1 request of 2 x 2 sectors if 8 divides width. Constant
//           requests as in 04.
// measured  on an H200 no faster than its rung below: a point is written once for thousands of atoms read.

constexpr int CHUNK = 4096;  // atoms in 64 KB, all the constant memory there is
__constant__ float4 atom_chunk[CHUNK];

extern "C" __global__ void coulombCoarsenedCoalesced(int atom_count, float* __restrict__ potential, int width,
                                                     int height, float spacing) {
    constexpr int BLOCK_X = 16;
    constexpr int POINTS = 8;                                       // points of a thread, all in one row
    const int first = blockIdx.x * BLOCK_X * POINTS + threadIdx.x;  // column of the first point
    const int row = blockIdx.y * blockDim.y + threadIdx.y;          // [0, grid.y * block.y)
    if (row >= height) return;

    const float x = spacing * first, y = spacing * row;
    const float step = spacing * BLOCK_X;  // from a point of the thread to its next
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
        const int column = first + k * BLOCK_X;
        if (column < width) potential[row * width + column] += sums[k];
    }
}
