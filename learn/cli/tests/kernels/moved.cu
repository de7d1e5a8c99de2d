// Words of shared memory that nobody has written, and what is done with them.

// launch shifted clean --grid 2 --block 64 --arg i32[128]
extern "C" __global__ void shifted(int* out) {
    __shared__ int s[65];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const int next = s[threadIdx.x + 1];
    __syncthreads();
    s[threadIdx.x] = next;
    __syncthreads();
    if (threadIdx.x < 63) out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

// launch shifted_and_stored initcheck --grid 2 --block 64 --arg i32[128]
extern "C" __global__ void shifted_and_stored(int* out) {
    __shared__ int s[65];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const int next = s[threadIdx.x + 1];
    __syncthreads();
    s[threadIdx.x] = next;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

// The tree adds words behind the last one, whose sums nobody needs.
// launch tree_over_the_end clean --grid 1 --block 32 --arg f32[32]=1 --arg f32[1]
extern "C" __global__ void tree_over_the_end(const float* in, float* out) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        const float sum = s[t] + s[t + step];
        __syncwarp();
        s[t] = sum;
        __syncwarp();
    }
    if (t == 0) *out = s[0];
}

// launch tree_of_too_few initcheck --grid 1 --block 32 --arg f32[32]=1 --arg f32[1]
extern "C" __global__ void tree_of_too_few(const float* in, float* out) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    if (t < 31) s[t] = in[t];
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        const float sum = s[t] + s[t + step];
        __syncwarp();
        s[t] = sum;
        __syncwarp();
    }
    if (t == 0) *out = s[0];
}

// launch vectors clean --grid 1 --block 32 --arg f32[32]
extern "C" __global__ void vectors(float* out) {
    __shared__ float4 a[33], b[32];
    a[threadIdx.x] = make_float4(threadIdx.x, 1, 2, 3);
    __syncwarp();
    b[threadIdx.x] = a[threadIdx.x + 1];
    __syncwarp();
    if (threadIdx.x < 31) out[threadIdx.x] = b[threadIdx.x].x;
}

// launch vectors_used initcheck --grid 1 --block 32 --arg f32[32]
extern "C" __global__ void vectors_used(float* out) {
    __shared__ float4 a[33], b[32];
    a[threadIdx.x] = make_float4(threadIdx.x, 1, 2, 3);
    __syncwarp();
    b[threadIdx.x] = a[threadIdx.x + 1];
    __syncwarp();
    out[threadIdx.x] = b[threadIdx.x].x;
}

// Written again before it is read.
// launch overwritten clean --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void overwritten(int* out) {
    __shared__ int a[64], b[32];
    a[threadIdx.x] = threadIdx.x;
    __syncwarp();
    b[threadIdx.x] = a[threadIdx.x + 32];
    __syncwarp();
    b[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = b[31 - threadIdx.x];
}

// launch decides initcheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void decides(int* out) {
    __shared__ int s[33];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    if (s[threadIdx.x + 1] > 5) out[threadIdx.x] = 1;
}

// launch index initcheck --grid 1 --block 32 --arg i32[32]=index
extern "C" __global__ void index(int* inout) {
    __shared__ int s[33];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    inout[s[threadIdx.x + 1] & 31] = 1;
}

// launch shuffled initcheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void shuffled(int* out) {
    __shared__ int a[33], b[32];
    a[threadIdx.x] = threadIdx.x;
    __syncwarp();
    b[threadIdx.x] = __shfl_xor_sync(~0u, a[threadIdx.x + 1], 1);
    __syncwarp();
    out[threadIdx.x] = b[threadIdx.x];
}
