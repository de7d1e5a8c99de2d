// Loops as programs of other people have them. Each of 32 blocks of 128 threads reads `data` (4096 words), makes `rounds`
// rounds, and writes one word of `out` a thread. foreign.ptx was compiled from this file by NVRTC 12.1 for compute_75.

// One lane of a warp works, as where a thread follows a list or solves a small system.
extern "C" __global__ void oneLane(const unsigned* data, unsigned* out, int rounds) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = t;
    if (threadIdx.x % 32 == 0) {
#pragma unroll 1
        for (int i = 0; i < rounds; i++) x = x * 1664525u + data[x % 4096u];
    }
    out[t] = x;
}

// Indices of 64 bits, of a tensor of three dimensions.
extern "C" __global__ void longIndices(const unsigned* data, unsigned* out, int rounds) {
    const unsigned long long t = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long row = t / 64, column = t % 64, rows = 16;
    unsigned x = 0;
#pragma unroll 1
    for (unsigned long long i = 0; i < rounds; i++) x += data[((i % 4 * rows + row % rows) * 64 + column) % 4096];
    out[t] = x;
}

// Characters, one a lane.
extern "C" __global__ void bytes(const unsigned* data, unsigned* out, int rounds) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char* from = reinterpret_cast<const unsigned char*>(data);
    unsigned char* to = reinterpret_cast<unsigned char*>(out);
#pragma unroll 1
    for (int i = 0; i < rounds; i++) to[t] = (unsigned char)(from[(t + i) % 16384] + i);
}

// An array of each thread whose index is data.
extern "C" __global__ void localArray(const unsigned* data, unsigned* out, int rounds) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned bins[16] = {};
#pragma unroll 1
    for (int i = 0; i < rounds; i++) bins[(data[(t + i) % 4096] + i) % 16] += i;
    unsigned sum = 0;
    for (int i = 0; i < 16; i++) sum += bins[i] * (i + 1);
    out[t] = sum;
}

// The columns of a tile whose rows have a word of padding.
extern "C" __global__ void paddedColumns(const unsigned* data, unsigned* out, int rounds) {
    __shared__ unsigned tile[32][33];
    const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, first = threadIdx.x / 32;
    unsigned x = 0;
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
        for (int row = first; row < 32; row += 4) tile[row][lane] = data[(t + i) % 4096] + row;
        __syncthreads();
        for (int row = first; row < 32; row += 4) x += tile[lane][row];
        __syncthreads();
    }
    out[t] = x;
}

// Sums of products of bf16, which are the upper halves of singles.
extern "C" __global__ void brainFloats(const unsigned* data, unsigned* out, int rounds) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned short* factors = reinterpret_cast<const unsigned short*>(data);
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
        const float x = __uint_as_float((unsigned)factors[(t + i) % 8192] << 16);
        sum += x * x;
    }
    out[t] = __float_as_uint(sum);
}

// A histogram of 64 bins in shared memory, which is added to one in global memory.
extern "C" __global__ void atomics(const unsigned* data, unsigned* out, int rounds) {
    __shared__ unsigned bins[64];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < rounds; i++) atomicAdd(&bins[(data[(t + i) % 4096] + i) % 64], 1u);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
