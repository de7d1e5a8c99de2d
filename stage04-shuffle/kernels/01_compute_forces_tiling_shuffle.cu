// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      inputs x, y, z, m and outputs fx, fy, fz: (n), n >= 1
// launch      a one-dimensional grid of any number of blocks; block a power of two in [32, 1024], which the host
//             checks. n is arbitrary: a thread handles targets i, i + grid * block, ... below n, and sources past n
//             have zero mass. Indices are 32-bit: grid * block + n < 2^31.
// bottleneck  stage03's 03: sources reach the warps through shared memory, and all warps of a block synchronize twice
//             per tile. Counters: barriers, shared_load_requests.
// idea        a warp-wide tile: each lane keeps one of 32 sources in registers, and shuffles broadcast them to the
//             warp. There is neither shared memory nor a barrier. The loop over targets advances by whole warps, so
//             that all lanes stay active until its end.
// expected    source load: 4 sectors per array per 32 sources, now by each warp of a block. Shuffles: 4 per source per
//             warp, as many as the shared-memory reads that they replace.
// measured    on an H200 less than half as fast as shared tiles. Each value takes a shuffle, whereas one 16-byte read
//             delivers four; and NVIDIA's compiler starts a source's shuffles only after the previous source, so that a
//             warp waits for each. The Rust version, whose compiler interleaves them, takes 0.41 of this time.

extern "C" __global__ void computeForces_Tiling_Shuffle(const float* __restrict__ x, const float* __restrict__ y,
                                                        const float* __restrict__ z, const float* __restrict__ m,
                                                        float* __restrict__ fx, float* __restrict__ fy,
                                                        float* __restrict__ fz, int n) {
    constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
    constexpr float SOFTENING = 1e-9f;    // m^2
    constexpr int WARP = 32;
    constexpr unsigned int ALL_LANES = 0xffffffff;
    const int lane = threadIdx.x % WARP;  // [0, WARP)
    const int first_of_warp = blockIdx.x * blockDim.x + threadIdx.x - lane;
    const int stride = gridDim.x * blockDim.x;
    __builtin_assume(n >= 1);  // otherwise the compiler adds a second, unrolled loop that stores zeros for n = 0
    for (int first_target = first_of_warp; first_target < n; first_target += stride) {
        const int i = first_target + lane;
        // a lane past n still supplies sources to the others; it recomputes the last body and stores nothing
        const int own = min(i, n - 1);

        const float xi = x[own], yi = y[own], zi = z[own];
        float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
        for (int first = 0; first < n; first += WARP) {
            const int j = min(first + lane, n - 1);  // past n: the last body, with zero mass
            const float held_x = x[j], held_y = y[j], held_z = z[j], mass = m[j];
            const float held_m = first + lane < n ? mass : 0.0f;

#pragma unroll
            for (int k = 0; k < WARP; ++k) {
                const float dx = __shfl_sync(ALL_LANES, held_x, k) - xi;
                const float dy = __shfl_sync(ALL_LANES, held_y, k) - yi;
                const float dz = __shfl_sync(ALL_LANES, held_z, k) - zi;
                // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
                const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
                const float weight = __shfl_sync(ALL_LANES, held_m, k) * inverse * inverse * inverse;
                sum_x += weight * dx;
                sum_y += weight * dy;
                sum_z += weight * dz;
            }
        }

        if (i < n) {
            const float scale = GRAVITY * m[i];
            fx[i] = scale * sum_x;
            fy[i] = scale * sum_y;
            fz[i] = scale * sum_z;
        }
    }
}
