// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      inputs x, y, z, m and outputs fx, fy, fz: (n), n >= 1
// launch      a one-dimensional grid of at least ceil(n / block) blocks, any block size. n is arbitrary: threads past n
//             return. Indices are 32-bit: grid * block + n < 2^31.
// bottleneck  baseline. Every warp loads every source from global memory, 4 load requests per source for 32
//             interactions, although the other warps of its block load the same sources. Counter: global_load_requests.
// idea        the nested loops of the CPU version, with one thread per iteration of the outer loop. A thread keeps its
//             sums in registers and stores them once.
// expected    source load: all lanes at one address, 1 request of 1 sector. Own position, mass, force: 1 request of 4
//             sectors.

extern "C" __global__ void computeForces(const float* __restrict__ x, const float* __restrict__ y,
                                         const float* __restrict__ z, const float* __restrict__ m,
                                         float* __restrict__ fx, float* __restrict__ fy, float* __restrict__ fz,
                                         int n) {
    constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
    constexpr float SOFTENING = 1e-9f;    // m^2

    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // target, [0, grid * block)
    if (i >= n) return;

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
