// must fail with findings: racecheck: race between warps
extern "C" __global__ void pass(const unsigned int* keys, unsigned int* out, int n) {
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const int block = blockIdx.x * 256, first = block + warp * 64 + lane;
    unsigned int key[2], place[2];
    for (int k = 0; k < 2; ++k) key[k] = first + 32 * k < n ? keys[first + 32 * k] : 0xffffffff;  // none: comes last
    // >>> your code
    __shared__ unsigned int counts[4][4];
    for (int d = 0; d < 4; ++d) {
        unsigned int count = 0;
        for (int k = 0; k < 2; ++k) {
            const unsigned int lanes = __ballot_sync(0xffffffff, key[k] % 4 == d);
            if (key[k] % 4 == d) place[k] = count + __popc(lanes & ((1u << lane) - 1));
            count += __popc(lanes);
        }
        if (lane == 0) counts[warp][d] = count;
    }
    __syncthreads();
    for (int d = 0; d < 4; ++d)
        for (int w = 0; w < 4; ++w)
            for (int k = 0; k < 2; ++k)
                if (d < key[k] % 4) place[k] += counts[w][d];
    // <<<
    for (int k = 0; k < 2; ++k)
        if (block + place[k] < n) out[block + place[k]] = key[k];
}
