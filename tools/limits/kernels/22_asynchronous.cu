// at[0] = the element that is STEPS turns links after at[0] in next, a circular linked list, or 1 if a chain of that many
// operations gives its expected result, else 0.
//
// shapes    next: (count), each element the index of its successor, 128-byte aligned, read by chaseBulk alone; at: (1);
//           elapsed: (1), cycles
// launch    requires compute capability 9.0a; one warp, of products one warpgroup of 128 threads.
// measures  latency: clocks from an operation to the next one, which needs its result. chainArrival: an arrival at a barrier
//           in shared memory (mbarrier), and the wait for it. chaseBulk: a bulk copy of a line of 128 bytes, the wait for it, and
//           a load from shared memory. chainWarpgroup: a product of 64 x 16 and 16 x 64 numbers (wgmma) and the wait for it;
//           ...8: eight products before a wait; ...Registers8: the left factor is in registers.
// expected  STEPS operations per turn, one after the other.

constexpr int STEPS = 16;
constexpr int LINE = 32;                            // integers of a line
constexpr int ROWS = 64, COLUMNS = 64, DEPTH = 16;  // of a product
constexpr int SUMS = ROWS * COLUMNS / 128;          // per thread
constexpr unsigned int ONES = 0x3f803f80;           // two numbers of bf16

__device__ __forceinline__ unsigned int shared_address(const void* pointer) {
    return static_cast<unsigned int>(__cvta_generic_to_shared(pointer));
}

// Initializes a barrier for one arrival. The copy engine sees it, too.
__device__ __forceinline__ void initialize(unsigned int barrier) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Waits for the end of the phase of this parity.
__device__ __forceinline__ void wait(unsigned int barrier, int parity) {
    unsigned int over;
    do {
        asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.shared.b64 over, [%1], %2; selp.u32 %0, 1, 0, over; }"
                     : "=r"(over)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!over);
}

extern "C" __global__ void __launch_bounds__(32) chainArrival(const int* next, int* at, long long* elapsed, int turns) {
    __shared__ unsigned long long barrier;
    const unsigned int place = shared_address(&barrier);
    if (threadIdx.x == 0) initialize(place);
    __syncwarp();
    int passed = 0;
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            if (threadIdx.x == 0) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place) : "memory");
            wait(place, step % 2);
            ++passed;
        }
    }
    at[0] = passed == STEPS * turns;
    elapsed[0] = clock64() - begin;
}

extern "C" __global__ void __launch_bounds__(32) chaseBulk(const int* next, int* at, long long* elapsed, int turns) {
    __shared__ __align__(128) int line[LINE];
    __shared__ unsigned long long barrier;
    const unsigned int place = shared_address(&barrier), to = shared_address(line);
    if (threadIdx.x == 0) initialize(place);
    __syncwarp();
    int here = at[0];
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            if (threadIdx.x == 0) {
                asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(place) : "memory");
                asm volatile(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                        to),
                    "l"(__cvta_generic_to_global(next + here / LINE * LINE)), "r"(place)
                    : "memory");
            }
            wait(place, step % 2);
            here = line[here % LINE];
            // all lanes have read the line before the next one takes its place
            __syncwarp();
        }
    }
    at[0] = here;
    elapsed[0] = clock64() - begin;
}

// The descriptor of a factor without a swizzle, of cores of 8 x 8 elements one after the other: all elements are equal.
__device__ __forceinline__ unsigned long long descriptor(const void* factor) {
    const unsigned long long address = shared_address(factor), core = 8 * 8 * 2;
    return (address >> 4) | (core >> 4) << 16 | (2 * core >> 4) << 32;
}

__device__ __forceinline__ void add_product(float (&sums)[SUMS], unsigned long long a, unsigned long long b) {
    asm volatile(
        "{ .reg .pred adds; setp.eq.b32 adds, 0, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
        "}, %32, %33, adds, 1, 1, 0, 0; }"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]),
          "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]),
          "+f"(sums[14]), "+f"(sums[15]), "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]), "+f"(sums[24]), "+f"(sums[25]),
          "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31])
        : "l"(a), "l"(b));
}

__device__ __forceinline__ void add_product(float (&sums)[SUMS], unsigned int a, unsigned long long b) {
    asm volatile(
        "{ .reg .pred adds; setp.eq.b32 adds, 0, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
        "}, {%32, %32, %32, %32}, %33, adds, 1, 1, 0; }"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]),
          "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]),
          "+f"(sums[14]), "+f"(sums[15]), "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]), "+f"(sums[24]), "+f"(sums[25]),
          "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31])
        : "r"(a), "l"(b));
}

// STEPS turns products, of which PRODUCTS are started before a wait. `Left` is the descriptor or the words of the left factor.
template <int PRODUCTS, class Left>
__device__ __forceinline__ void chain_of_products(Left a, unsigned long long b, int* at, long long* elapsed,
                                                  int turns) {
    float sums[SUMS] = {};
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; step += PRODUCTS) {
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int k = 0; k < PRODUCTS; ++k) add_product(sums, a, b);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        }
    }
    bool right = true;
#pragma unroll
    for (int i = 0; i < SUMS; ++i) right &= sums[i] == DEPTH * STEPS * turns;
    const int all = __syncthreads_and(right);
    if (threadIdx.x == 0) {
        at[0] = all;
        elapsed[0] = clock64() - begin;
    }
}

// Fills a factor with ones.
template <int WORDS>
__device__ __forceinline__ void fill(unsigned int (&factor)[WORDS]) {
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) factor[i] = ONES;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(128)
    chainWarpgroup(const int* next, int* at, long long* elapsed, int turns) {
    __shared__ __align__(128) unsigned int left[ROWS * DEPTH / 2];
    __shared__ __align__(128) unsigned int right[DEPTH * COLUMNS / 2];
    fill(left);
    fill(right);
    chain_of_products<1>(descriptor(left), descriptor(right), at, elapsed, turns);
}

extern "C" __global__ void __launch_bounds__(128)
    chainWarpgroup8(const int* next, int* at, long long* elapsed, int turns) {
    __shared__ __align__(128) unsigned int left[ROWS * DEPTH / 2];
    __shared__ __align__(128) unsigned int right[DEPTH * COLUMNS / 2];
    fill(left);
    fill(right);
    chain_of_products<8>(descriptor(left), descriptor(right), at, elapsed, turns);
}

extern "C" __global__ void __launch_bounds__(128)
    chainWarpgroupRegisters8(const int* next, int* at, long long* elapsed, int turns) {
    __shared__ __align__(128) unsigned int right[DEPTH * COLUMNS / 2];
    fill(right);
    chain_of_products<8>(ONES, descriptor(right), at, elapsed, turns);
}
