// Copies of structures whose padding nobody has written.
#include <cuda_fp16.h>
struct Pair {
    char tag;
    float value;
};
struct Late {
    double x;
    int n;
};
struct Half {
    __half h;
    float f;
};
struct Deep {
    char a;
    Late b[2];
    short c;
};
struct alignas(16) Three {
    float x, y, z;
};
union Either {
    char c;
    int i[2];
};

// launch pair clean --grid 1 --block 32 --arg f32[64] --arg f32[64]
extern "C" __global__ void pair(Pair* a, Pair* b) {
    a[threadIdx.x].tag = 1;
    a[threadIdx.x].value = 2;
    b[threadIdx.x] = a[threadIdx.x];
}

// launch late clean --grid 1 --block 32 --arg f64[64] --arg f64[64]
extern "C" __global__ void late(Late* a, Late* b) {
    a[threadIdx.x].x = 1;
    a[threadIdx.x].n = 2;
    __syncthreads();
    b[threadIdx.x] = a[31 - threadIdx.x];
}

// launch half_and_float clean --grid 1 --block 32 --arg f32[64] --arg f32[64]
extern "C" __global__ void half_and_float(Half* a, Half* b) {
    a[threadIdx.x].h = __float2half(1);
    a[threadIdx.x].f = 2;
    __syncthreads();
    b[threadIdx.x] = a[31 - threadIdx.x];
}

// launch deep clean --grid 1 --block 32 --arg f64[192] --arg f64[192]
extern "C" __global__ void deep(Deep* a, Deep* b) {
    Deep& own = a[threadIdx.x];
    own.a = 1, own.c = 2;
    own.b[0].x = own.b[1].x = 3;
    own.b[0].n = own.b[1].n = 4;
    __syncthreads();
    b[threadIdx.x] = a[31 - threadIdx.x];
}

// launch three clean --grid 1 --block 32 --arg f32[128] --arg f32[128]
extern "C" __global__ void three(Three* a, Three* b) {
    a[threadIdx.x].x = a[threadIdx.x].y = a[threadIdx.x].z = 1;
    __syncthreads();
    b[threadIdx.x] = a[31 - threadIdx.x];
}

// launch three_by_vector clean --grid 1 --block 32 --arg f32[128] --arg f32[32]
extern "C" __global__ void three_by_vector(float4* a, float* b) {
    float* own = &a[threadIdx.x].x;
    own[0] = own[1] = own[2] = 1;
    __syncthreads();
    float4 v = a[31 - threadIdx.x];
    b[threadIdx.x] = v.x + v.y + v.z;
}

// launch three_used initcheck --grid 1 --block 32 --arg f32[128] --arg f32[32]
extern "C" __global__ void three_used(float4* a, float* b) {
    float* own = &a[threadIdx.x].x;
    own[0] = own[1] = own[2] = 1;
    __syncthreads();
    float4 v = a[31 - threadIdx.x];
    b[threadIdx.x] = v.x + v.y + v.z + v.w;
}

// launch either clean --grid 1 --block 32 --arg i32[64] --arg i32[64]
extern "C" __global__ void either(Either* a, Either* b) {
    a[threadIdx.x].c = 1;
    a[threadIdx.x].i[1] = 1;
    __syncthreads();
    b[threadIdx.x] = a[31 - threadIdx.x];
}

// launch in_shared clean --grid 1 --block 32 --arg f32[64]
extern "C" __global__ void in_shared(Pair* b) {
    __shared__ Pair a[32];
    a[threadIdx.x].tag = 1;
    a[threadIdx.x].value = 2;
    __syncthreads();
    b[threadIdx.x] = a[31 - threadIdx.x];
}

// launch through_shared clean --grid 1 --block 32 --arg f32[64] --arg f32[64] --arg f32[32]
extern "C" __global__ void through_shared(Pair* a, Pair* b, float* c) {
    __shared__ Pair s[32];
    a[threadIdx.x].tag = 1;
    a[threadIdx.x].value = 2;
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[31 - threadIdx.x];
    c[threadIdx.x] = s[31 - threadIdx.x].value + s[threadIdx.x].tag;
}

// launch padding_of_the_copy initcheck --grid 1 --block 32 --arg f32[64] --arg f32[64] --arg i32[32]
extern "C" __global__ void padding_of_the_copy(Pair* a, Pair* b, int* c) {
    a[threadIdx.x].tag = 1;
    a[threadIdx.x].value = 2;
    __syncthreads();
    b[threadIdx.x] = a[31 - threadIdx.x];
    __syncthreads();
    c[threadIdx.x] = reinterpret_cast<char*>(&b[31 - threadIdx.x])[2];
}

// launch padding_used initcheck --grid 1 --block 32 --arg f32[64] --arg i32[32]
extern "C" __global__ void padding_used(Pair* a, int* b) {
    a[threadIdx.x].tag = 1;
    __syncthreads();
    b[threadIdx.x] = *reinterpret_cast<int*>(&a[31 - threadIdx.x]) * 3;
}

// launch nothing_written initcheck --grid 1 --block 32 --arg f32[64] --arg f32[64]
extern "C" __global__ void nothing_written(Pair* a, Pair* b) {
    b[threadIdx.x] = a[threadIdx.x];
}

// launch member_forgotten initcheck --grid 1 --block 32 --arg f32[64] --arg f32[32]
extern "C" __global__ void member_forgotten(Pair* a, float* b) {
    a[threadIdx.x].tag = 1;
    __syncthreads();
    b[threadIdx.x] = a[31 - threadIdx.x].value;
}

// launch transposed initcheck --grid 1 --block 32 --arg f32[32]
extern "C" __global__ void transposed(float* out) {
    __shared__ float tile[33];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + 1];
}

// launch kept_in_a_register clean --grid 1 --block 32 --arg f32[64] --arg f32[64]
extern "C" __global__ void kept_in_a_register(Pair* a, Pair* b) {
    a[threadIdx.x].tag = 1;
    a[threadIdx.x].value = 2;
    __syncthreads();
    Pair p = threadIdx.x < 16 ? a[31 - threadIdx.x] : a[threadIdx.x];
    b[threadIdx.x] = p;
}

// launch swapped clean --grid 1 --block 32 --arg f32[64]
extern "C" __global__ void swapped(Pair* a) {
    a[threadIdx.x].tag = 1;
    a[threadIdx.x].value = 2;
    __syncthreads();
    if (threadIdx.x < 16) {
        Pair p = a[threadIdx.x];
        a[threadIdx.x] = a[31 - threadIdx.x];
        a[31 - threadIdx.x] = p;
    }
}
