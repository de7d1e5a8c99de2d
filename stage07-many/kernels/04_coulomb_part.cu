// potential(x, y) += sum_a q_a / sqrt((x - x_a)^2 + (y - y_a)^2 + z_a^2) at the points of a part of a grid in the plane
// z = 0.
//
// shapes      atoms: (atom_count) of float4 (x_a, y_a, z_a^2, q_a), z_a squared beforehand; potential: (height, width),
//             the point in row r and column c at x = c * spacing, y = (first_row + r) * spacing
// launch      a grid with a block for each 128 columns and 32 rows along x and y and any number of slices of the atoms
//             along z, block = 128. All sizes are arbitrary: points outside of the part are not stored. Indices are
//             32-bit: width * height < 2^31. An atom on a grid point gives no finite result.
// bottleneck  stage06's 31, which computes all points of the grid.
// idea        only the rows from first_row on, so that each rank has different rows and nothing to exchange; or all
//             rows for a part of the atoms, whose potentials the ranks then add up.
// expected    as stage06's 31: per slice one atomic addition per point, 4 sectors per request.

// Returns 1 / sqrt(x) to within 2^-22.9, the accuracy of rsqrtf; a subnormal x counts as 0.
__device__ __forceinline__ float fast_rsqrt(float x) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

// The second argument, one block per multiprocessor, leaves the number of registers to the compiler; without it, the
// compiler stays within 64, and fewer roots are in flight.
extern "C" __global__ void __launch_bounds__(128, 1)
    coulomb_part(const float4* __restrict__ atoms, int atom_count, float* __restrict__ potential, int width, int height,
                 int first_row, float spacing) {
    constexpr int BLOCK = 128;
    constexpr int ACROSS = 16, DOWN = BLOCK / ACROSS;  // threads per block along x and y
    constexpr int COLUMNS = 8, ROWS = 4;               // points per thread, ACROSS and DOWN apart
    constexpr int CHUNK = 256;                         // atoms in shared memory at a time
    __shared__ float4 chunk[CHUNK];
    const int first_column = blockIdx.x * ACROSS * COLUMNS + threadIdx.x % ACROSS;
    const int own_row = blockIdx.y * DOWN * ROWS + threadIdx.x / ACROSS;

    const float x = spacing * first_column, y = spacing * (first_row + own_row);
    float sums[ROWS][COLUMNS] = {};
    const int each = (atom_count + gridDim.z - 1) / gridDim.z;  // atoms per slice; the last may have fewer or none
    const int first_atom = blockIdx.z * each, last_atom = min(first_atom + each, atom_count);
    for (int first = first_atom; first < last_atom; first += CHUNK) {
        const int count = min(CHUNK, last_atom - first);  // atoms in this chunk, [1, CHUNK]
        for (int a = threadIdx.x; a < count; a += BLOCK) chunk[a] = atoms[first + a];
        // the tile must be complete before any thread reads it
        __syncthreads();

#pragma unroll 1
        for (int a = 0; a < count; ++a) {
            const float4 atom = chunk[a];
            const float to_x = x - atom.x, to_y = y - atom.y;  // from the atom to the thread's first point
            float dx_squared[COLUMNS], off_row[ROWS];
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                const float dx = to_x + (c * ACROSS) * spacing;
                dx_squared[c] = dx * dx;
            }
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                const float dy = to_y + (r * DOWN) * spacing;
                off_row[r] = dy * dy + atom.z;
            }
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) sums[r][c] += atom.w * fast_rsqrt(dx_squared[c] + off_row[r]);
            }
        }
        // a fast warp must not overwrite the atoms while slower warps still read them
        __syncthreads();
    }

#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            const int column = first_column + c * ACROSS, row = own_row + r * DOWN;
            if (column < width && row < height) atomicAdd(potential + row * width + column, sums[r][c]);
        }
    }
}
