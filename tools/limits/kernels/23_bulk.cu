// sums[b] = the sum of the first elements of the chunks that block b copies, in int32 modulo 2^32. All blocks together copy data
// from its start to its end and again, a chunk of `bytes` bytes at a time, `turns` chunks each; `sharing` blocks copy the same ones.
//
// shapes    data: (count) of int, 128-byte aligned, count a multiple of a chunk's; sums: (blocks)
// launch    requires compute capability 9.0; a one-dimensional grid of blocks of 32 threads, at most one per chunk, with
//           STAGES * bytes of dynamic shared memory; bytes a multiple of 128.
// measures  bytes per second of bulk copies from global to shared memory, by the bytes of a copy and those that are read again and
//           again.
// expected  STAGES copies in flight per block.

constexpr int STAGES = 4;

__device__ __forceinline__ unsigned int shared_address(const void* pointer) {
    return static_cast<unsigned int>(__cvta_generic_to_shared(pointer));
}

extern "C" __global__ void __launch_bounds__(32)
    copyBulk(const int* __restrict__ data, int* __restrict__ sums, int count, int bytes, int sharing, int turns) {
    extern __shared__ __align__(128) int stages[];
    __shared__ unsigned long long barriers[STAGES];
    if (threadIdx.x != 0) return;
    for (int s = 0; s < STAGES; ++s)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&barriers[s])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    const int chunk = bytes / 4, chunks = count / chunk;
    const int advance = gridDim.x / sharing;
    int next = blockIdx.x / sharing;
    auto start = [&](int s) {
        const unsigned int barrier = shared_address(&barriers[s]);
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_address(stages + s * chunk)),
                     "l"(__cvta_generic_to_global(data + (size_t)next * chunk)), "r"(bytes), "r"(barrier)
                     : "memory");
        next += advance;
        if (next >= chunks) next -= chunks;
    };
    for (int s = 0; s < STAGES && s < turns; ++s) start(s);
    int sum = 0;
    for (int turn = 0; turn < turns; ++turn) {
        const int s = turn % STAGES;
        unsigned int over;
        do {
            asm volatile(
                "{ .reg .pred over; mbarrier.try_wait.parity.shared.b64 over, [%1], %2; selp.u32 %0, 1, 0, over; }"
                : "=r"(over)
                : "r"(shared_address(&barriers[s])), "r"(turn / STAGES % 2)
                : "memory");
        } while (!over);
        sum += stages[s * chunk];
        if (turn + STAGES < turns) start(s);
    }
    sums[blockIdx.x] = sum;
}
