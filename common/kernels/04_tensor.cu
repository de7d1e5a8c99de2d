// out[t] = the sum of four elements of each of CHAINS matrices C after STEPS turns steps C = A B + C; C is initially
// zero, all elements of A are a and all of B are b; A is 16 x 8 and B is 8 x 8, both TF32, or A is 16 x 16 and B is 16 x 8, both
// bf16.
//
// shapes    out: (threads of the grid); elapsed: (2), cycles and nanoseconds of the last thread
// launch    requires compute capability 8.0; a one-dimensional grid of blocks of whole warps; a = b = 1, so that each
//           step adds 8 to an element, or 16.
// measures  matrix products per second on the tensor cores, each of 1024 multiply-adds in TF32 and of 2048 in bf16.
// expected  CHAINS STEPS products per turn per warp.

constexpr int CHAINS = 8;
constexpr int STEPS = 8;

// The device's global timer in nanoseconds; its resolution is below a microsecond.
__device__ __forceinline__ long long nanoseconds() {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

struct Product {
    float c[4];
};

struct Tf32 {
    __device__ static unsigned int factor(float x) {
        return __float_as_uint(x);
    }

    __device__ static void add_product(Product& p, unsigned int a, unsigned int b) {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "
            "{%0, %1, %2, %3};"
            : "+f"(p.c[0]), "+f"(p.c[1]), "+f"(p.c[2]), "+f"(p.c[3])
            : "r"(a), "r"(b));
    }
};

struct Bf16 {
    // Twice the high half of x.
    __device__ static unsigned int factor(float x) {
        const unsigned int half = __float_as_uint(x) >> 16;
        return half << 16 | half;
    }

    __device__ static void add_product(Product& p, unsigned int a, unsigned int b) {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "
            "{%0, %1, %2, %3};"
            : "+f"(p.c[0]), "+f"(p.c[1]), "+f"(p.c[2]), "+f"(p.c[3])
            : "r"(a), "r"(b));
    }
};

template <class Type>
__device__ __forceinline__ void multiply(float* __restrict__ out, long long* __restrict__ elapsed, float a, float b,
                                         int turns) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const long long began_at = nanoseconds(), begin = clock64();
    const unsigned int left = Type::factor(a), right = Type::factor(b);
    Product products[CHAINS] = {};
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
#pragma unroll
            for (int k = 0; k < CHAINS; ++k) Type::add_product(products[k], left, right);
        }
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) {
#pragma unroll
        for (int i = 0; i < 4; ++i) sum += products[k].c[i];
    }
    out[t] = sum;
    if (t == gridDim.x * blockDim.x - 1) {
        elapsed[0] = clock64() - begin;
        elapsed[1] = nanoseconds() - began_at;
    }
}

extern "C" __global__ void __launch_bounds__(256)
    tensorRate(float* __restrict__ out, long long* __restrict__ elapsed, float a, float b, int turns) {
    multiply<Tf32>(out, elapsed, a, b, turns);
}

extern "C" __global__ void __launch_bounds__(256)
    tensorBf16Rate(float* __restrict__ out, long long* __restrict__ elapsed, float a, float b, int turns) {
    multiply<Bf16>(out, elapsed, a, b, turns);
}
