// output[r, c] = e^(input[r, c] - m) / sum over k of e^(input[r, k] - m), with the largest element m of row r: the softmax
// of each row of an n x columns matrix of f32 in row-major order.
//
// shapes      input: (n, columns), not modified; output: (n, columns); both 16-byte aligned; n >= 1; columns a multiple of
//             4, to which the host pads with -infinity, and at most 32,768
// launch      requires compute capability 8.0; any number of blocks, block = 1024, 128 * block bytes of dynamic shared
//             memory. `warps` warps handle a row: a power of two, at least columns / 1024. Indices of rows are 32-bit:
//             grid * block + n < 2^31.
// bottleneck  23: registers allow one block on a multiprocessor, which does not load while it computes and stores. Nsight
//             Compute: long scoreboard.
// idea        blocks stay for several rows. As soon as a row is in registers, asynchronous copies bring the next one to
//             shared memory. Each thread copies what it reads itself, so that no barrier is needed for that.
// expected    23's requests, but asynchronous copies in place of loads; 1 load from shared memory per copy, without
//             conflicts.
// measured    on an H200, with rows of 1024 elements, as fast as 23, whose warps do not wait for each other.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int WARPS = 32;  // of the block
constexpr int GROUPS = 8;  // of four elements, per thread
constexpr float LOWEST = -3.402823466e38f;

__device__ __forceinline__ float larger(float a, float b) {
    return fmaxf(a, b);
}

__device__ __forceinline__ float added(float a, float b) {
    return a + b;
}

// Combines the values of all lanes of the warp, which all must call it.
template <typename Combine>
__device__ __forceinline__ float of_warp(float value, Combine combine) {
#pragma unroll
    for (int mask = WARP / 2; mask > 0; mask /= 2) value = combine(value, __shfl_xor_sync(ALL_LANES, value, mask));
    return value;
}

// Combines the values of the row's warps. If it has several, all threads of the block must call it.
template <typename Combine>
__device__ __forceinline__ float of_row(float value, float* values, int warps, Combine combine) {
    value = of_warp(value, combine);
    if (warps == 1) return value;
    const int warp = threadIdx.x / WARP, first = warp / warps * warps;
    if (threadIdx.x % WARP == 0) values[warp] = value;
    // each thread reads the values of the row's warps
    __syncthreads();
    value = values[first];
    for (int i = 1; i < warps; ++i) value = combine(value, values[first + i]);
    return value;
}

// Starts an asynchronous copy of 16 bytes from global to shared memory.
__device__ __forceinline__ void copy_four(float4* to, const float4* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
}

// Waits until the thread's copies have arrived.
__device__ __forceinline__ void wait_for_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(1024)
    softmaxPrefetch(const float4* __restrict__ input, float4* __restrict__ output, int n, int columns, int warps) {
    __shared__ float largest_of[WARPS], sum_of[WARPS];
    extern __shared__ float4 next[];  // GROUPS per thread, at distances of the block
    const int groups = columns / 4;
    const int threads = warps * WARP;     // of a row
    const int t = threadIdx.x % threads;  // in the row
    const int rows = WARPS / warps;       // of the block
    float4* const own = next + threadIdx.x;
    auto copy_row = [&](int row) {
#pragma unroll
        for (int i = 0; i < GROUPS; ++i) {
            const int group = i * threads + t;
            if (row < n && group < groups) copy_four(own + i * blockDim.x, input + (size_t)row * groups + group);
        }
    };

    // the same number of rounds for all threads of the block
    int row = blockIdx.x * rows + threadIdx.x / threads;
    copy_row(row);
    for (int first = blockIdx.x * rows; first < n; first += gridDim.x * rows, row += gridDim.x * rows) {
        wait_for_copies();
        float4 x[GROUPS];
        float largest = LOWEST;
#pragma unroll
        for (int i = 0; i < GROUPS; ++i) {
            const bool is_group = row < n && i * threads + t < groups;
            x[i] = is_group ? own[i * blockDim.x] : float4{LOWEST, LOWEST, LOWEST, LOWEST};
            largest = fmaxf(largest, fmaxf(fmaxf(x[i].x, x[i].y), fmaxf(x[i].z, x[i].w)));
        }
        copy_row(row + gridDim.x * rows);
        largest = of_row(largest, largest_of, warps, larger);

        float sum = 0;
#pragma unroll
        for (int i = 0; i < GROUPS; ++i) {
            x[i] = {expf(x[i].x - largest), expf(x[i].y - largest), expf(x[i].z - largest), expf(x[i].w - largest)};
            sum += (x[i].x + x[i].y) + (x[i].z + x[i].w);
        }
        // between two uses of `largest_of` is the barrier for `sum_of`, and the other way around
        const float factor = 1 / of_row(sum, sum_of, warps, added);

#pragma unroll
        for (int i = 0; i < GROUPS; ++i) {
            const int group = i * threads + t;
            if (row < n && group < groups)
                output[(size_t)row * groups + group] = {x[i].x * factor, x[i].y * factor, x[i].z * factor,
                                                        x[i].w * factor};
        }
    }
}
