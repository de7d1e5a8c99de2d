// must fail with findings: racecheck: race
extern "C" __global__ void histogram(const unsigned char* data, unsigned int* bins, int n) {
    __shared__ unsigned int own[256];
    const int t = threadIdx.x;
    own[t] = own[t + 128] = 0;
    __syncthreads();
    // >>> your code
    for (int first = blockIdx.x * 128; first < n; first += gridDim.x * 128) {
        if (first + t < n) own[data[first + t]] += 1;
        __syncthreads();
    }
    for (int b = t; b < 256; b += 128) atomicAdd(&bins[b], own[b]);
    // <<<
}
