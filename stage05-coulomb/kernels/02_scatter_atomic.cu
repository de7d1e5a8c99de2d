// potential(x, y) = sum_a q_a / sqrt((x - x_a)^2 + (y - y_a)^2 + z_a^2) at the points of a grid in the plane z = 0.
//
// shapes    atoms: (atom_count) of float4 (x_a, y_a, z_a^2, q_a), z_a squared beforehand, atom_count >= 1; potential:
//           (height, width), the point in row r and column c at x = c * spacing, y = r * spacing; 0 before the launch
// launch    one row of ceil(atom_count / block) blocks or more, any block; nothing must divide anything: threads past
//           atom_count return. Indices are 32-bit: width * height < 2^31 and grid * block < 2^31.
//           An atom on a point gives no finite answer.
// cost      01: every warp of points reads every atom; by atoms, each would be read once. Counter:
//           global_load_requests.
// idea      scatter, which the tutorial rejects: the loop over atoms becomes threads, and a thread adds to all points.
//           So do all others: each addition must be atomic, goes to memory, and comes in an unknown order.
// expected  one atomic request per point per warp, all lanes at one address, which the hardware serves one after
//           the other: 32 sectors, as Nsight counts. Counters: global_atomic_requests, global_atomic_sectors.

extern "C" __global__ void coulombScatter(const float4* __restrict__ atoms, int atom_count,
                                          float* __restrict__ potential, int width, int height, float spacing) {
    const int a = blockIdx.x * blockDim.x + threadIdx.x;  // atom, [0, grid * block)
    if (a >= atom_count) return;

    const float4 atom = atoms[a];
    for (int row = 0; row < height; ++row) {
        const float dy = spacing * row - atom.y;
        for (int column = 0; column < width; ++column) {
            const float dx = spacing * column - atom.x;
            // atomic: every other thread adds to this point too
            atomicAdd(&potential[row * width + column], atom.w * rsqrtf(dx * dx + dy * dy + atom.z));
        }
    }
}
