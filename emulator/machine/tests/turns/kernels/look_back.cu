// Decoupled look-back: each block adds its number to the sum of the block before it, correctly and with mistakes. A block takes a
// ticket, so it waits only for blocks that have started.

using Word = unsigned long long;

__device__ int takeTicket(int* ticket) {
    __shared__ int taken;
    if (threadIdx.x == 0) taken = atomicAdd(ticket, 1);
    __syncthreads();
    return taken;
}

// The flag and the sum are one word, so neither is seen without the other.
extern "C" __global__ void oneWord(int* ticket, Word* words, int* sums, const int* numbers) {
    const int block = takeTicket(ticket);
    if (threadIdx.x != 0) return;
    Word word = 1ull << 32;
    if (block > 0) {
        do asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(words + block - 1));
        while (word >> 32 == 0);
    }
    const int sum = (int)word + numbers[block];
    word = 1ull << 32 | (unsigned)sum;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + block), "l"(word));
    sums[block] = sum;
}

// The flag is a word of its own: what is published before it, by PUBLISH, is read after it.
#define FLAGS(NAME, PUBLISH, AWAIT)                                                           \
    extern "C" __global__ void NAME(int* ticket, int* flags, int* sums, const int* numbers) { \
        const int block = takeTicket(ticket);                                                 \
        if (threadIdx.x != 0) return;                                                         \
        int sum = numbers[block];                                                             \
        if (block > 0) {                                                                      \
            int* const before = flags + block - 1;                                            \
            int seen;                                                                         \
            AWAIT;                                                                            \
            sum += sums[block - 1];                                                           \
        }                                                                                     \
        int* const flag = flags + block;                                                      \
        PUBLISH;                                                                              \
    }

#define STORE(ORDER) asm volatile("st." ORDER ".gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory")
#define LOAD(ORDER)                                                                                 \
    do asm volatile("ld." ORDER ".gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(before) : "memory"); \
    while (seen == 0)

FLAGS(releaseAndAcquire, sums[block] = sum; STORE("release"), LOAD("acquire"))
FLAGS(fences, sums[block] = sum; __threadfence(); STORE("relaxed"), LOAD("relaxed"); __threadfence())
FLAGS(withoutRelease, sums[block] = sum; STORE("relaxed"), LOAD("acquire"))
FLAGS(flagBeforeSum, STORE("release"); sums[block] = sum, LOAD("acquire"))
FLAGS(fenceBeforeSum, __threadfence(); sums[block] = sum; STORE("relaxed"), LOAD("acquire"))
FLAGS(withoutWait, sums[block] = sum; STORE("release"), seen = *before)

// A number in place of a ticket, in the opposite order: the blocks that a block waits for start after it.
extern "C" __global__ void laterBlocks(int* ticket, int* flags, int* sums, const int* numbers) {
    if (threadIdx.x != 0) return;
    const int last = gridDim.x - 1, block = last - blockIdx.x;
    int sum = numbers[block];
    if (block > 0) {
        int* const before = flags + block - 1;
        int seen;
        LOAD("acquire");
        sum += sums[block - 1];
    }
    int* const flag = flags + block;
    sums[block] = sum;
    STORE("release");
}
