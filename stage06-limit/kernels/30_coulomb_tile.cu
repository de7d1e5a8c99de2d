// potential(x, y) = sum_a q_a / sqrt((x - x_a)^2 + (y - y_a)^2 + z_a^2) at the points of a grid in the plane z = 0.
//
// shapes      atoms: (atom_count) of float4 (x_a, y_a, z_a^2, q_a), z_a squared beforehand; potential: (height, width),
//             the point in row r and column c at x = c * spacing, y = r * spacing; written
// launch      a two-dimensional grid with a block for each 128 columns and 32 rows, block = 128. All sizes are
//             arbitrary: points outside of the grid are not stored. Indices are 32-bit: width * height < 2^31. An atom
//             on a grid point gives no finite result.
// bottleneck  stage05's 04: dy^2 + z^2 serves eight points but dx^2 only one; constant memory limits a launch to 4096
//             atoms. Counters: warp_instructions, constant_load_requests.
// idea        a two-dimensional register tile: 8 columns and 4 rows per thread. 8 values of dx^2 and 4 of dy^2 + z^2
//             serve 32 points, each with one addition, one root and one multiply-add. Atoms come through shared memory,
//             all in one launch.
// expected    one 16-byte load per atom for 32 points. On a GPU the special-function unit, which computes the roots, is
//             almost fully busy.

// Returns 1 / sqrt(x) to within 2^-22.9, the accuracy of rsqrtf; a subnormal x counts as 0.
__device__ __forceinline__ float fast_rsqrt(float x) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

// The second argument, one block per multiprocessor, leaves the number of registers to the compiler; without it, the
// compiler stays within 64, and fewer roots are in flight.
extern "C" __global__ void __launch_bounds__(128, 1)
    coulombTile(const float4* __restrict__ atoms, int atom_count, float* __restrict__ potential, int width, int height,
                float spacing) {
    constexpr int BLOCK = 128;
    constexpr int ACROSS = 16, DOWN = BLOCK / ACROSS;  // threads per block along x and y
    constexpr int COLUMNS = 8, ROWS = 4;               // points per thread, ACROSS and DOWN apart
    constexpr int CHUNK = 256;                         // atoms in shared memory at a time
    __shared__ float4 chunk[CHUNK];
    const int first_column = blockIdx.x * ACROSS * COLUMNS + threadIdx.x % ACROSS;
    const int first_row = blockIdx.y * DOWN * ROWS + threadIdx.x / ACROSS;

    const float x = spacing * first_column, y = spacing * first_row;
    float sums[ROWS][COLUMNS] = {};
    for (int first = 0; first < atom_count; first += CHUNK) {
        const int count = min(CHUNK, atom_count - first);  // atoms in this chunk, [1, CHUNK]
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
            const int column = first_column + c * ACROSS, row = first_row + r * DOWN;
            if (column < width && row < height) potential[row * width + column] = sums[r][c];
        }
    }
}
