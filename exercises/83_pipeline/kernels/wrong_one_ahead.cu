// must fail with findings: racecheck
// requires compute capability 8.0

// Starts an asynchronous copy of a float to shared memory.
__device__ void copy(float* to, const float* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
}

// Ends the group of the copies that this thread has started since the last group.
__device__ void end_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until this thread's copies are complete, but for those of its last PENDING groups.
template <int PENDING>
__device__ void wait_for_all_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

extern "C" __global__ void reversed(const float* data, float* out, int tiles) {
    __shared__ float tile[2][128];
    const int t = threadIdx.x, first = blockIdx.x * tiles * 128;
    copy(&tile[0][t], &data[first + t]);
    end_group();
    for (int i = 0; i < tiles; ++i) {
        // >>> your code
        wait_for_all_but<1>();
        __syncthreads();
        if (i + 1 < tiles) copy(&tile[(i + 1) % 2][t], &data[first + (i + 1) * 128 + t]);
        end_group();
        // <<<
        out[first + i * 128 + t] = 2 * tile[i % 2][127 - t];
    }
}
