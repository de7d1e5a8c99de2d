// The number of tiles is n / block, rounded down: the sources of the last tile are omitted. All accesses are valid; only
// a comparison of the result reveals the error.
//
// source    tutorial D, tiled kernel
// launch    --grid 2 --block 64 --arg f32[100]=1 --arg f32[100]=0 --arg i32=100
// fixed     rounded up, with zeros past the end

extern "C" __global__ void faulty(const float* in, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const int tiles = n / 64;
    float sum = 0.0f;
    for (int k = 0; k < tiles; k++) {
        tile[t] = in[64 * k + t];
        __syncthreads();
        for (int j = 0; j < 64; j++) sum += tile[j];
        __syncthreads();
    }
    if (i < n) out[i] = sum;
}

extern "C" __global__ void fixed(const float* in, float* out, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const int tiles = (n + 63) / 64;
    float sum = 0.0f;
    for (int k = 0; k < tiles; k++) {
        const int source = 64 * k + t;
        tile[t] = source < n ? in[source] : 0.0f;
        __syncthreads();
        for (int j = 0; j < 64; j++) sum += tile[j];
        __syncthreads();
    }
    if (i < n) out[i] = sum;
}

// cargo x check:
//   faulty: clean (memcheck, initcheck, racecheck, synccheck), 2 blocks of 64
