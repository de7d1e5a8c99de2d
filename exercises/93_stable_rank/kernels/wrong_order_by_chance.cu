// must fail with limits: shared atomic requests
extern "C" __global__ void pass(const unsigned int* keys, unsigned int* out, int n) {
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const int block = blockIdx.x * 256, first = block + warp * 64 + lane;
    unsigned int key[2], place[2];
    for (int k = 0; k < 2; ++k) key[k] = first + 32 * k < n ? keys[first + 32 * k] : 0xffffffff;  // none: comes last
    // >>> your code
    __shared__ unsigned int counts[4][4];
    if (t < 16) counts[t / 4][t % 4] = 0;
    __syncthreads();
    for (int k = 0; k < 2; ++k) place[k] = atomicAdd(&counts[warp][key[k] % 4], 1);
    __syncthreads();
    for (int d = 0; d < 4; ++d)
        for (int w = 0; w < 4; ++w)
            for (int k = 0; k < 2; ++k)
                if (d < key[k] % 4 || (d == key[k] % 4 && w < warp)) place[k] += counts[w][d];
    // <<<
    for (int k = 0; k < 2; ++k)
        if (block + place[k] < n) out[block + place[k]] = key[k];
}
