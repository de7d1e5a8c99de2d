// at[0] = 1 if a chain of STEPS turns dependent instructions gives its expected result, else 0.
//
// shapes    next: (32), not read; at: (1); elapsed: (1), cycles
// launch    one warp; requires compute capability 8.0. chainMatrix and chainTensor... are of the whole warp.
// measures  latency: clocks from an instruction to the next one, which needs its result. chainDouble: a multiply-add in double
//           precision. chainHalf: two multiply-adds in half precision. chainTensor: a product of 16 x 8 and 8 x 8 in TF32.
//           chainTensorBf16: of 16 x 16 and 16 x 8 in bf16. chainMatrix: a load of four matrices of 8 x 8 (ldmatrix).
// expected  STEPS dependent instructions per turn, and three of loop overhead.

constexpr int STEPS = 16;

extern "C" __global__ void __launch_bounds__(32) chainDouble(const int* next, int* at, long long* elapsed, int turns) {
    double x = 0;
    const double one = at[0] >= 0 ? 1 : 2;
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(x) : "d"(one));
    }
    at[0] = x == STEPS * turns;
    elapsed[0] = clock64() - begin;
}

// Sums in half precision stop growing at 2048.
extern "C" __global__ void __launch_bounds__(32) chainHalf(const int* next, int* at, long long* elapsed, int turns) {
    unsigned int x = 0;
    const unsigned int one = at[0] >= 0 ? 0x3c003c00 : 0;
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(one));
    }
    at[0] = x == (turns * STEPS >= 2048 ? 0x68006800u : 0x4c004c00u);
    elapsed[0] = clock64() - begin;
}

extern "C" __global__ void __launch_bounds__(32) chainTensor(const int* next, int* at, long long* elapsed, int turns) {
    float c[4] = {};
    const unsigned int one = __float_as_uint(at[0] >= 0 ? 1.0f : 2.0f);
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step)
            asm volatile(
                "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
                "{%4, %4}, {%0, %1, %2, %3};"
                : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                : "r"(one));
    }
    at[0] = c[0] == 8.0f * STEPS * turns;
    elapsed[0] = clock64() - begin;
}

extern "C" __global__ void __launch_bounds__(32)
    chainTensorBf16(const int* next, int* at, long long* elapsed, int turns) {
    float c[4] = {};
    const unsigned int one = at[0] >= 0 ? 0x3f803f80 : 0;
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step)
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
                "{%4, %4}, {%0, %1, %2, %3};"
                : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                : "r"(one));
    }
    at[0] = c[0] == 16.0f * STEPS * turns;
    elapsed[0] = clock64() - begin;
}

// All words of the matrices are 0, and are added to the address of the next load.
extern "C" __global__ void __launch_bounds__(32) chainMatrix(const int* next, int* at, long long* elapsed, int turns) {
    __shared__ __align__(128) unsigned int rows[32][4];
    for (int k = 0; k < 4; ++k) rows[threadIdx.x][k] = 0;
    __syncthreads();
    const unsigned int first = __cvta_generic_to_shared(rows[threadIdx.x]);
    unsigned int here = first + (at[0] < 0);
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            unsigned int a, b, c, d;
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                         : "r"(here)
                         : "memory");
            here += d;
        }
    }
    at[0] = here == first;
    elapsed[0] = clock64() - begin;
}
