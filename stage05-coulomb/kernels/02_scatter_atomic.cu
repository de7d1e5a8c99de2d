// potential(x, y) = sum_a q_a / sqrt((x - x_a)^2 + (y - y_a)^2 + z_a^2) at the points of a grid in the plane z = 0.
//
// shapes      atoms: (atom_count) of float4 (x_a, y_a, z_a^2, q_a), z_a squared beforehand, atom_count >= 1; potential:
//             (height, width), the point in row r and column c at x = c * spacing, y = r * spacing; 0 before the launch
// launch      a one-dimensional grid of at least ceil(atom_count / block) blocks, any block size. All sizes are
//             arbitrary: threads past atom_count return. Indices are 32-bit: width * height < 2^31 and
//             grid * block < 2^31. An atom on a grid point gives no finite result.
// bottleneck  01: every warp of points loads every atom; with one thread per atom, each would be loaded once. Counter:
//             global_load_requests.
// idea        scatter, which the tutorial rejects: one thread per atom, which adds its contribution to all points. All
//             other threads do so too: each addition must be atomic, goes to memory, and happens in an unspecified
//             order.
// expected    one atomic request per point per warp, all lanes at one address, which the hardware serializes: 32
//             sectors, as Nsight Compute counts them. Counters: global_atomic_requests, global_atomic_sectors.

extern "C" __global__ void coulombScatter(const float4* __restrict__ atoms, int atom_count,
                                          float* __restrict__ potential, int width, int height, float spacing) {
    const int a = blockIdx.x * blockDim.x + threadIdx.x;  // atom, [0, grid * block)
    if (a >= atom_count) return;

    const float4 atom = atoms[a];
    for (int row = 0; row < height; ++row) {
        const float dy = spacing * row - atom.y;
        for (int column = 0; column < width; ++column) {
            const float dx = spacing * column - atom.x;
            // atomic, since all other threads add to this point as well
            atomicAdd(&potential[row * width + column], atom.w * rsqrtf(dx * dx + dy * dy + atom.z));
        }
    }
}
