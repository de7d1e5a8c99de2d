// out[t] = the sum of thread t's elements of C, 64 x 256, after STEPS turns steps C = A B + C of its warpgroup; C is initially
// zero, all elements of A (64 x 16) are a and all of B (16 x 256) are b, both bf16 in shared memory.
//
// shapes    out: (threads of the grid); elapsed: (2), cycles and nanoseconds of the last thread
// launch    requires compute capability 9.0a; a one-dimensional grid, block = 256: two warpgroups. a = b = 1, so that each step
//           adds 16 to an element.
// measures  multiplications and additions of wgmma per second, with both factors in shared memory.
// expected  STEPS products per turn per warpgroup.

constexpr int STEPS = 16;
constexpr int ROWS = 64, COLUMNS = 256, DEPTH = 16;
constexpr int SLICES = 2;  // factors that are read in turn

// The device's global timer in nanoseconds; its resolution is below a microsecond.
__device__ __forceinline__ long long nanoseconds() {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// The descriptor of a factor without a swizzle, of cores of 8 x 8 elements one after the other: all elements are equal.
__device__ __forceinline__ unsigned long long descriptor(const void* factor) {
    const unsigned long long address = __cvta_generic_to_shared(factor), core = 8 * 8 * 2;
    return (address >> 4) | (core >> 4) << 16 | (2 * core >> 4) << 32;
}

__device__ __forceinline__ void add_product(float (&sums)[COLUMNS / 2], unsigned long long a, unsigned long long b) {
    asm volatile(
        "{ .reg .pred adds; setp.eq.b32 adds, 0, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, adds, 1, 1, 0, 0; }"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]),
          "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]),
          "+f"(sums[14]), "+f"(sums[15]), "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]), "+f"(sums[24]), "+f"(sums[25]),
          "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31]),
          "+f"(sums[32]), "+f"(sums[33]), "+f"(sums[34]), "+f"(sums[35]), "+f"(sums[36]), "+f"(sums[37]),
          "+f"(sums[38]), "+f"(sums[39]), "+f"(sums[40]), "+f"(sums[41]), "+f"(sums[42]), "+f"(sums[43]),
          "+f"(sums[44]), "+f"(sums[45]), "+f"(sums[46]), "+f"(sums[47]), "+f"(sums[48]), "+f"(sums[49]),
          "+f"(sums[50]), "+f"(sums[51]), "+f"(sums[52]), "+f"(sums[53]), "+f"(sums[54]), "+f"(sums[55]),
          "+f"(sums[56]), "+f"(sums[57]), "+f"(sums[58]), "+f"(sums[59]), "+f"(sums[60]), "+f"(sums[61]),
          "+f"(sums[62]), "+f"(sums[63]), "+f"(sums[64]), "+f"(sums[65]), "+f"(sums[66]), "+f"(sums[67]),
          "+f"(sums[68]), "+f"(sums[69]), "+f"(sums[70]), "+f"(sums[71]), "+f"(sums[72]), "+f"(sums[73]),
          "+f"(sums[74]), "+f"(sums[75]), "+f"(sums[76]), "+f"(sums[77]), "+f"(sums[78]), "+f"(sums[79]),
          "+f"(sums[80]), "+f"(sums[81]), "+f"(sums[82]), "+f"(sums[83]), "+f"(sums[84]), "+f"(sums[85]),
          "+f"(sums[86]), "+f"(sums[87]), "+f"(sums[88]), "+f"(sums[89]), "+f"(sums[90]), "+f"(sums[91]),
          "+f"(sums[92]), "+f"(sums[93]), "+f"(sums[94]), "+f"(sums[95]), "+f"(sums[96]), "+f"(sums[97]),
          "+f"(sums[98]), "+f"(sums[99]), "+f"(sums[100]), "+f"(sums[101]), "+f"(sums[102]), "+f"(sums[103]),
          "+f"(sums[104]), "+f"(sums[105]), "+f"(sums[106]), "+f"(sums[107]), "+f"(sums[108]), "+f"(sums[109]),
          "+f"(sums[110]), "+f"(sums[111]), "+f"(sums[112]), "+f"(sums[113]), "+f"(sums[114]), "+f"(sums[115]),
          "+f"(sums[116]), "+f"(sums[117]), "+f"(sums[118]), "+f"(sums[119]), "+f"(sums[120]), "+f"(sums[121]),
          "+f"(sums[122]), "+f"(sums[123]), "+f"(sums[124]), "+f"(sums[125]), "+f"(sums[126]), "+f"(sums[127])
        : "l"(a), "l"(b));
}

// Twice the high half of x.
__device__ __forceinline__ unsigned int pair(float x) {
    const unsigned int half = __float_as_uint(x) >> 16;
    return half << 16 | half;
}

extern "C" __global__ void __launch_bounds__(256)
    warpgroupRate(float* __restrict__ out, long long* __restrict__ elapsed, float a, float b, int turns) {
    constexpr int LEFT = ROWS * DEPTH / 2, RIGHT = DEPTH * COLUMNS / 2;  // words of a factor
    __shared__ __align__(128) unsigned int left[SLICES * LEFT], right[SLICES * RIGHT];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = threadIdx.x; i < SLICES * LEFT; i += blockDim.x) left[i] = pair(a);
    for (int i = threadIdx.x; i < SLICES * RIGHT; i += blockDim.x) right[i] = pair(b);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const long long began_at = nanoseconds(), begin = clock64();
    float sums[COLUMNS / 2] = {};
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int step = 0; step < STEPS; ++step)
            add_product(sums, descriptor(left + step % SLICES * LEFT), descriptor(right + step % SLICES * RIGHT));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < COLUMNS / 2; ++i) sum += sums[i];
    out[t] = sum;
    if (t == gridDim.x * blockDim.x - 1) {
        elapsed[0] = clock64() - begin;
        elapsed[1] = nanoseconds() - began_at;
    }
}
