// out[t] = the sum of CHAINS counts of what thread t loaded or received, in STEPS turns steps.
//
// shapes    out: (threads of the grid); elapsed: (2), cycles and nanoseconds of the last thread
// launch    a one-dimensional grid of blocks of 256 threads; a and b are not used.
// measures  instructions of the load/store units per second: sharedRate loads 4 bytes of shared memory per lane without
//           bank conflicts, shuffleRate passes values to the next lane. sharedWideRate loads 16 bytes per lane, and
//           measures the bytes of shared memory per second.
// expected  CHAINS STEPS requests per turn; a load of 4 bytes is 1 wavefront, one of 16 bytes is 4.

constexpr int CHAINS = 8;
constexpr int STEPS = 32;
constexpr int ROWS = 24;  // of shared memory; a warp reads them in a circle, and 32 steps do not end where they began

// The device's global timer in nanoseconds; its resolution is below a microsecond.
__device__ __forceinline__ long long nanoseconds() {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// Each element contains the address of the element below it, in the next row.
struct Narrow {
    static constexpr int WORDS = 1;

    __device__ __forceinline__ static unsigned int next(unsigned int address) {
        unsigned int below;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(below) : "r"(address));
        return below;
    }
};

// The first of four words is the address; the others are 0, and are used so that the compiler cannot omit them.
struct Wide {
    static constexpr int WORDS = 4;

    __device__ __forceinline__ static unsigned int next(unsigned int address) {
        unsigned int word[WORDS];
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                     : "r"(address));
        return word[0] | word[1] | word[2] | word[3];
    }
};

template <typename Width>
__device__ __forceinline__ void shared_rate(float* out, long long* elapsed, int turns) {
    __shared__ __align__(16) unsigned int words[ROWS * 32 * Width::WORDS];
    constexpr unsigned int ELEMENT = 4 * Width::WORDS, ROW = 32 * ELEMENT;
    const unsigned int start = (unsigned int)__cvta_generic_to_shared(words);
    for (int k = threadIdx.x; k < ROWS * 32 * Width::WORDS; k += blockDim.x) {
        words[k] = k % Width::WORDS ? 0 : start + (4 * k + ROW) % (ROWS * ROW);
    }
    __syncthreads();  // the rows are complete
    const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const long long began_at = nanoseconds(), begin = clock64();
    unsigned int at[CHAINS];
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) at[k] = start + k * ROW + lane * ELEMENT;
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
#pragma unroll
            for (int k = 0; k < CHAINS; ++k) at[k] = Width::next(at[k]);
        }
    }
    unsigned int rows = 0;
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) rows += (at[k] - start - lane * ELEMENT) / ROW;
    out[t] = rows;
    if (t == gridDim.x * blockDim.x - 1) {
        elapsed[0] = clock64() - begin;
        elapsed[1] = nanoseconds() - began_at;
    }
}

extern "C" __global__ void __launch_bounds__(256)
    sharedRate(float* __restrict__ out, long long* __restrict__ elapsed, float, float, int turns) {
    shared_rate<Narrow>(out, elapsed, turns);
}

extern "C" __global__ void __launch_bounds__(256)
    sharedWideRate(float* __restrict__ out, long long* __restrict__ elapsed, float, float, int turns) {
    shared_rate<Wide>(out, elapsed, turns);
}

// Values move around the warp, and grow by 1 in each step.
extern "C" __global__ void __launch_bounds__(256)
    shuffleRate(float* __restrict__ out, long long* __restrict__ elapsed, float, float, int turns) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const long long began_at = nanoseconds(), begin = clock64();
    int x[CHAINS];
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) x[k] = k + lane;
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
#pragma unroll
            for (int k = 0; k < CHAINS; ++k) x[k] = __shfl_sync(0xffffffff, x[k], lane + 1) + 1;
        }
    }
    int sum = 0;
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) sum += x[k] - lane;  // after whole circles each value is in its own lane
    out[t] = sum;
    if (t == gridDim.x * blockDim.x - 1) {
        elapsed[0] = clock64() - begin;
        elapsed[1] = nanoseconds() - began_at;
    }
}
