// must fail with findings: racecheck: race between blocks
extern "C" __global__ void move_bodies(float* x, const float* v, int n, float dt) {
    // >>> your code
    const int i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
    // <<<
    if (i < n) x[i] += v[i] * dt;
}
