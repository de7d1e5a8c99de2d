// out[g] = the sum of the elements g of reads arrays, one behind the other in data, in int32 modulo 2^32.
//
// shapes    data: (reads groups) of int4; out: (groups) of int4
// launch    a one-dimensional grid of blocks of 256 threads, as many as are to be resident.
// measures  bytes per second of memory that is read and written, by the arrays that are read for one that is written.
// expected  requests of 16 sectors.

constexpr int BLOCK = 256;

extern "C" __global__ void __launch_bounds__(BLOCK)
    copyMemory(const int4* __restrict__ data, int4* __restrict__ out, int groups, int reads) {
    for (int g = blockIdx.x * BLOCK + threadIdx.x; g < groups; g += gridDim.x * BLOCK) {
        int4 sum = make_int4(0, 0, 0, 0);
        for (int k = 0; k < reads; ++k) {
            const int4 next = data[(size_t)k * groups + g];
            sum = make_int4(sum.x + next.x, sum.y + next.y, sum.z + next.z, sum.w + next.w);
        }
        out[g] = sum;
    }
}
