// must fail with results:
extern "C" __global__ void light(const float* x, const float* y, const float* z, const float* power, float* light,
                                 int n) {
    const int t = threadIdx.x;
    const int i = blockIdx.x * 128 + t;
    const int own = min(i, n - 1);
    const float own_x = x[own], own_y = y[own], own_z = z[own];
    float sum = 0.0f;
    // >>> your code
    __shared__ float4 tile[128];
    for (int first = 0; first < n; first += 128) {
        const int j = min(first + t, n - 1);
        const float p = first + t < n ? power[j] : 0.0f;
        tile[t] = make_float4(x[j], y[j], z[j], power[j]);
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < 128; ++k) {
            const float4 lamp = tile[k];
            const float lamp_x = lamp.x, lamp_y = lamp.y, lamp_z = lamp.z, lamp_p = lamp.w;
            const float dx = lamp_x - own_x, dy = lamp_y - own_y, dz = lamp_z - own_z;
            sum += lamp_p / (dx * dx + dy * dy + dz * dz + 0.01f);
        }
        __syncthreads();
    }
    // <<<
    if (i < n) light[i] = sum;
}
