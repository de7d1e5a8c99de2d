// potential(x, y) = sum_a q_a / sqrt((x - x_a)^2 + (y - y_a)^2 + z_a^2) at the points of a grid in the plane z = 0.
//
// shapes      atom_chunk: (CHUNK) of float4 (x_a, y_a, z_a^2, q_a), z_a squared beforehand, of which the host fills
//             atom_count, in [1, CHUNK], before each launch; potential: (height, width), the point in row r and column
//             c at x = c * spacing, y = r * spacing; 0 before the first launch
// launch      one launch per chunk, in sequence; a two-dimensional grid of at least ceil(width / block.x) x
//             ceil(height / block.y) blocks, any block size. All sizes are arbitrary: threads without a point return.
//             Indices are 32-bit: width * height < 2^31. An atom on a grid point gives no finite result.
// bottleneck  01: all lanes load the same 16 bytes from global memory, and each lane computes the address. Counter:
//             global_load_requests.
// idea        constant memory, which is designed for one address per warp. It holds 64 KB, so that atoms come in chunks
//             and each launch adds to the sums of the previous ones. Its first-level cache is far smaller, and a warp
//             uses each atom only once.
// expected    atom load: 1 constant request of 1 address. Potential, blocks of 16 x 16: 1 load and 1 store request of 4
//             sectors if width is a multiple of 8, once per launch.
// measured    on an H200 about 8 times slower than coulombGather with 512 x 512 points, but faster with 256 x 256 and
//             fewer: 64 KB do not fit into the constant cache of a multiprocessor, and many warps at different atoms
//             displace each other's lines.

constexpr int CHUNK = 4096;  // 64 KB of atoms, the size of constant memory
__constant__ float4 atom_chunk[CHUNK];

extern "C" __global__ void coulombConstant(int atom_count, float* __restrict__ potential, int width, int height,
                                           float spacing) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;  // [0, grid.x * block.x)
    const int row = blockIdx.y * blockDim.y + threadIdx.y;     // [0, grid.y * block.y)
    if (column >= width || row >= height) return;

    const float x = spacing * column, y = spacing * row;
    float sum = 0.0f;
    for (int a = 0; a < atom_count; ++a) {
        const float4 atom = atom_chunk[a];
        const float dx = x - atom.x, dy = y - atom.y;
        sum += atom.w * rsqrtf(dx * dx + dy * dy + atom.z);
    }

    potential[row * width + column] += sum;
}
