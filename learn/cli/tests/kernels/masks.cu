// Masks of lanes that are active at another place.

// launch before_the_branch synccheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void before_the_branch(int* out) {
    const unsigned mask = __activemask();
    int sum = threadIdx.x;
    if (threadIdx.x < 16) sum += __shfl_xor_sync(mask, sum, 1);
    out[threadIdx.x] = sum;
}

// launch before_the_loop synccheck --grid 1 --block 32 --arg i32[32]=index --arg i32[32]
extern "C" __global__ void before_the_loop(const int* in, int* out) {
    const unsigned mask = __activemask();
    int votes = 0;
    for (int i = 0; i < in[threadIdx.x] / 8; i++) votes += __popc(__ballot_sync(mask, i & 1));
    out[threadIdx.x] = votes;
}

// launch in_the_branch clean --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void in_the_branch(int* out) {
    int sum = threadIdx.x;
    if (threadIdx.x < 16) {
        const unsigned mask = __activemask();
        sum += __shfl_xor_sync(mask, sum, 1);
    }
    out[threadIdx.x] = sum;
}

// launch ballot_of_the_branch clean --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void ballot_of_the_branch(int* out) {
    int sum = threadIdx.x;
    const unsigned mask = __ballot_sync(~0u, threadIdx.x < 16);
    if (threadIdx.x < 16) sum += __shfl_xor_sync(mask, sum, 1);
    out[threadIdx.x] = sum;
}

// launch of_the_whole_warp clean --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void of_the_whole_warp(int* out) {
    const unsigned mask = __activemask();
    int sum = threadIdx.x;
    sum += __shfl_xor_sync(mask, sum, 1);
    if (threadIdx.x < 16) sum *= 2;
    out[threadIdx.x] = sum;
}

// Lanes whose addresses the instruction ignores have none.
__device__ unsigned row(const short* s, int lanes) {
    const int lane = threadIdx.x;
    return (unsigned)__cvta_generic_to_shared(s) + 16 * (lane < lanes ? lane : 99991 * lane + 7) + (lane < lanes ? 0 : 1);
}

// launch ldmatrix_of_one clean --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void ldmatrix_of_one(int* out) {
    __shared__ __align__(16) short s[64];
    s[threadIdx.x] = s[threadIdx.x + 32] = threadIdx.x;
    __syncwarp();
    unsigned word;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(row(s, 8)) : "memory");
    out[threadIdx.x] = word;
}

// launch ldmatrix_of_two clean --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void ldmatrix_of_two(int* out) {
    __shared__ __align__(16) short s[128];
    for (int i = threadIdx.x; i < 128; i += 32) s[i] = i;
    __syncwarp();
    unsigned words[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(words[0]), "=r"(words[1])
                 : "r"(row(s, 16))
                 : "memory");
    out[threadIdx.x] = words[0] + words[1];
}

// launch ldmatrix_of_four memcheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void ldmatrix_of_four(int* out) {
    __shared__ __align__(16) short s[128];
    for (int i = threadIdx.x; i < 128; i += 32) s[i] = i;
    __syncwarp();
    unsigned words[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(row(s, 16))
                 : "memory");
    out[threadIdx.x] = words[0] + words[1] + words[2] + words[3];
}

// launch ldmatrix_races racecheck --grid 1 --block 32 --arg i32[32]
extern "C" __global__ void ldmatrix_races(int* out) {
    __shared__ __align__(16) short s[64];
    s[threadIdx.x] = s[threadIdx.x + 32] = threadIdx.x;
    unsigned word;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(row(s, 8)) : "memory");
    out[threadIdx.x] = word;
}
