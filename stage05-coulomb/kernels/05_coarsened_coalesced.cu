// potential(x, y) = sum_a q_a / sqrt((x - x_a)^2 + (y - y_a)^2 + z_a^2) at the points of a grid in the plane z = 0.
//
// shapes      atom_chunk: (CHUNK) of float4 (x_a, y_a, z_a^2, q_a), z_a squared beforehand, of which the host fills
//             atom_count, in [1, CHUNK], before each launch; potential: (height, width), the point in row r and column
//             c at x = c * spacing, y = r * spacing; 0 before the first launch
// launch      one launch per chunk, in sequence; a two-dimensional grid of at least ceil(width / 128) x
//             ceil(height / block.y) blocks, block.x = 16, any block.y. All sizes are arbitrary: points outside of the
//             grid are not stored. Indices are 32-bit: width * height < 2^31. An atom on a grid point gives no finite
//             result.
// bottleneck  04: accesses to the potential are uncoalesced. The points of neighboring threads are 32 bytes apart, so
//             that each request touches 32 sectors. Counters: global_load_sectors and global_store_sectors over their
//             requests.
// idea        a thread's eight points are 16 apart, the width of the block: neighboring threads handle neighboring
//             points.
// expected    potential: a warp covers two rows of 16 threads, 1 request of 2 x 2 sectors if width is a multiple of 8.
//             Constant requests as in 04.
// measured    on an H200 no faster than 04 with 512 x 512 points: a point is written once for thousands of atoms read.

constexpr int CHUNK = 4096;  // 64 KB of atoms, the size of constant memory
__constant__ float4 atom_chunk[CHUNK];

extern "C" __global__ void coulombCoarsenedCoalesced(int atom_count, float* __restrict__ potential, int width,
                                                     int height, float spacing) {
    constexpr int BLOCK_X = 16;
    constexpr int POINTS = 8;                                       // points per thread, all in one row
    const int first = blockIdx.x * BLOCK_X * POINTS + threadIdx.x;  // column of the first point
    const int row = blockIdx.y * blockDim.y + threadIdx.y;          // [0, grid.y * block.y)
    if (row >= height) return;

    const float x = spacing * first, y = spacing * row;
    const float step = spacing * BLOCK_X;  // between consecutive points of the thread
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
