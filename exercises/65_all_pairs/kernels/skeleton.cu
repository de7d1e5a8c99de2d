// >>> your code
// launch <<<n / 128, 128>>>
// <<<

extern "C" __global__ void forces(const float4* bodies, float* forces, int n) {
    // >>> your code
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float4 own = bodies[i];
        float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
        for (int j = 0; j < n; ++j) {
            const float4 source = bodies[j];
            const float dx = source.x - own.x, dy = source.y - own.y, dz = source.z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float weight = source.w * inverse * inverse * inverse;
            sum_x += weight * dx;
            sum_y += weight * dy;
            sum_z += weight * dz;
        }
        forces[i] = own.w * sum_x;
        forces[n + i] = own.w * sum_y;
        forces[2 * n + i] = own.w * sum_z;
    }
    // <<<
}
