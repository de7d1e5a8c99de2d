// Reads of constant memory at indices that are not known when the kernel is compiled.
//
// chaseConstant: at[l] = the byte offset that is STEPS turns links after at[l] in links, whose words contain the offset
// of their successor. streamConstant: sums[w] = the sum of the first count words, as floats, turns times.
//
// shapes    links: (16384), 64 KiB; at: (32); sums: (warps of the grid)
// launch    chaseConstant: one warp. streamConstant: a one-dimensional grid of blocks of 128 threads, as many as are
//           to be resident; count a multiple of 4.
// measures  chaseConstant: the time of a load, by the bytes that the links cover and by the different words that the
//           lanes of a warp read. streamConstant: bytes per second that warps read, the same for all lanes, by the
//           bytes that are read again and again.
// expected  what the caches of constants hold is fast; different words are read one after another.

constexpr int WORDS = 16384;
constexpr int STEPS = 16;

__constant__ int links[WORDS];

extern "C" __global__ void __launch_bounds__(32) chaseConstant(int* at, int turns) {
    unsigned int here = at[threadIdx.x];
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) here = *(const unsigned int*)((const char*)links + here);
    }
    at[threadIdx.x] = here;
}

extern "C" __global__ void __launch_bounds__(128) streamConstant(float* __restrict__ sums, int count, int turns) {
    const float4* const entries = (const float4*)links;
    float total = 0;
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll 4
        for (int k = 0; k < count / 4; ++k) total += entries[k].x + entries[k].y + entries[k].z + entries[k].w;
    }
    if (threadIdx.x % 32 == 0) sums[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = total;
}
