// Kernels that are slow for one reason each. The tests name the lines.
// coalesced: --kernel transpose_naive --grid 8,8 --block 32,8 --arg f32[65536]=random --arg f32[65536] --arg i32=256
// coalesced: --kernel transpose_tile --grid 8,8 --block 32,8 --arg f32[65536]=random --arg f32[65536] --arg i32=256
// coalesced: --kernel strided --grid 16 --block 256 --arg f32[32768]=random --arg f32[4096]
// coalesced: --kernel structures --grid 16 --block 256 --arg f32[32768]=random --arg f32[4096]
// coalesced: --kernel divergent --grid 16 --block 256 --arg f32[4096]=random --arg f32[4096]
// coalesced: --kernel one_counter --grid 16 --block 256 --arg u32[1]=0
// coalesced: --kernel local_array --grid 16 --block 256 --arg f32[4096]=random --arg i32[4096]=3 --arg f32[4096]
// coalesced: --kernel table --grid 16 --block 256 --arg i32[4096]=index --arg f32[4096]
// coalesced: --kernel add --grid 16 --block 256 --arg f32[4096]=random --arg f32[4096]

#define TILE 32

extern "C" __global__ void transpose_naive(const float *in, float *out, int n) {
    int x = blockIdx.x * TILE + threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += 8) {
        int row = blockIdx.y * TILE + y;
        out[x * n + row] = in[row * n + x];
    }
}

extern "C" __global__ void transpose_tile(const float *in, float *out, int n) {
    __shared__ float tile[TILE][TILE];
    for (int y = threadIdx.y; y < TILE; y += 8)
        tile[y][threadIdx.x] = in[(blockIdx.y * TILE + y) * n + blockIdx.x * TILE + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += 8)
        out[(blockIdx.x * TILE + y) * n + blockIdx.y * TILE + threadIdx.x] =
            tile[threadIdx.x][y];
}

extern "C" __global__ void strided(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value =
        in[8 * i];
    out[i] = value;
}

struct Body {
    float x, y, z, mass, vx, vy, vz, unused;
};

__device__ float weight(const Body *bodies, int i) {
    return bodies[i].mass;
}

extern "C" __global__ void structures(const Body *bodies, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = weight(bodies, i);
}

extern "C" __global__ void divergent(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i];
    if (i % 32 == 0) {
        for (int k = 0; k < 200; ++k)
            value = value * value + 0.25f / (1.0f + value);
    }
    out[i] = value;
}

extern "C" __global__ void one_counter(unsigned *count) {
    atomicAdd(count, threadIdx.x);
}

extern "C" __global__ void local_array(const float *in, const int *at, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float values[16];
    for (int k = 0; k < 16; ++k)
        values[k] = in[i] * k;
    out[i] = values[at[i] & 15];
}

__constant__ float weights[64];

extern "C" __global__ void table(const int *at, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = weights[at[i] % 64];
}

extern "C" __global__ void add(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1.0f;
}

extern "C" __global__ void busy(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum[8];
    for (int k = 0; k < 8; ++k)
        sum[k] = in[i] + k;
    for (int step = 0; step < 256; ++step)
        for (int k = 0; k < 8; ++k)
            sum[k] = sum[k] * 0.5f + 1.0f;
    for (int k = 1; k < 8; ++k)
        sum[0] += sum[k];
    out[i] = sum[0];
}
