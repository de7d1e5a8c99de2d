// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      inputs x, y, z, m and outputs fx, fy, fz: (n), n >= 1
// launch      a one-dimensional grid of any number of blocks, any block size. n is arbitrary: a thread handles targets
//             i, i + grid * block, ... below n. Indices are 32-bit: grid * block + n < 2^31.
// bottleneck  01 ties the size of the grid to n. Its memory traffic remains: 4 load requests per source per warp, now
//             repeated for each target of a thread. A grid too small for the device leaves multiprocessors idle.
//             Counter: global_load_requests.
// idea        a grid-stride loop over the targets, so that the grid can be chosen for the device and is independent of
//             n.
// expected    source load: all lanes at one address, 1 request of 1 sector. Own position, mass, force: 1 request of 4
//             sectors.

extern "C" __global__ void computeForces_Tiling(const float* __restrict__ x, const float* __restrict__ y,
                                                const float* __restrict__ z, const float* __restrict__ m,
                                                float* __restrict__ fx, float* __restrict__ fy, float* __restrict__ fz,
                                                int n) {
    constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
    constexpr float SOFTENING = 1e-9f;    // m^2

    const int first = blockIdx.x * blockDim.x + threadIdx.x;  // [0, grid * block)
    const int stride = gridDim.x * blockDim.x;
    __builtin_assume(n >= 1);  // otherwise the compiler adds a second, unrolled loop that stores zeros for n = 0
    for (int i = first; i < n; i += stride) {
        const float xi = x[i], yi = y[i], zi = z[i];
        float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
        for (int j = 0; j < n; ++j) {
            const float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
            // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            const float weight = m[j] * inverse * inverse * inverse;
            sum_x += weight * dx;
            sum_y += weight * dy;
            sum_z += weight * dz;
        }

        const float scale = GRAVITY * m[i];
        fx[i] = scale * sum_x;
        fy[i] = scale * sum_y;
        fz[i] = scale * sum_z;
    }
}
