// must fail with results:
extern "C" __global__ void light(const float* lamps, const float* power, int lamp_count, const float* points,
                                 float* light, int point_count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= point_count) return;
    const float own = points[i];
    float sum = 0.0f;
    for (int j = 0; j < lamp_count; ++j) {
        const float d = lamps[j] - own;
        // >>> your code
        sum += power[j] / (d * d);
        // <<<
    }
    light[i] = sum;
}
