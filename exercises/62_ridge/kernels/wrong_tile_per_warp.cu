// must fail with limits: warp instructions of class float
__constant__ float weights[129];

// out[i] is the sum of weights[k] * data[i + k - 64] over all elements of data that exist.
extern "C" __global__ void smooth(const float* data, float* out, int n) {
    const int t = threadIdx.x;
    const int i = blockIdx.x * 128 + t;
    // >>> your code
    __shared__ float tile[4][160];
    const int warp = t / 32, lane = t % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < 2; ++turn) {
        for (int e = lane; e < 160; e += 32) {
            const int j = i - lane + e - 64;
            tile[warp][e] = j >= 0 && j < n ? data[j] : 0.0f;
        }
        __syncwarp();
        for (int k = turn * 64; k < turn * 65 + 64; ++k) sum += weights[k] * tile[warp][lane + k];
        __syncwarp();
    }
    if (i < n) out[i] = sum;
    // <<<
}
