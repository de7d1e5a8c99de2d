// Forces of problem A for bodies stored as one float4 each, in two launches: the first sums over the first half of the
// sources and writes the forces, the second adds the contribution of the second half.
//
// bodies    n float4: x, y, z, mass
// forces    n float4: three components, and 0
// n         the number of bodies
// first     the first source of this launch
// end       one past its last source

constexpr float GRAVITY = 6.67e-11f;
constexpr float SOFTENING = 1e-9f;

extern "C" __global__ void forcesFloat4Halves(const float4* bodies, float4* forces, int n, int first, int end) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float4 body = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j = first; j < end; ++j) {
        const float4 source = bodies[j];
        const float dx = source.x - body.x, dy = source.y - body.y, dz = source.z - body.z;
        const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
        const float weight = source.w * inverse * inverse * inverse;
        ax += weight * dx;
        ay += weight * dy;
        az += weight * dz;
    }
    const float factor = GRAVITY * body.w;
    float4 force = first == 0 ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : forces[i];
    force.x += factor * ax;
    force.y += factor * ay;
    force.z += factor * az;
    forces[i] = force;
}
