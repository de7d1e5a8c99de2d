// Lanes, votes, atomics and bits.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void fuzz(const int* in, const float* reals, unsigned int* out) {
    __shared__ int tally[4];
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const int t = threadIdx.x;
    if (t < 4) tally[t] = 0;
    block.sync();
    int v = in[t];
    for (int offset = 16; offset > 0; offset /= 2) v += warp.shfl_down(v, offset);
    atomicAdd(&tally[t & 3], t);
    atomicMax(&tally[1], v & 0xfff);
    atomicCAS(&tally[2], 7, v);
    atomicOr(&tally[3], 1 << (t & 15));
    block.sync();
    out[8 * t] = v + warp.any(v > 3) + warp.ballot(v & 1);
    out[8 * t + 1] = __popc(v) + __ffs(v) + __clz(v);
    out[8 * t + 2] = __brev(v);
    out[8 * t + 3] = tally[0] + tally[1] + tally[2] + tally[3];
    out[8 * t + 4] = __ballot_sync(0xffffffffu, t % 3 == 0) + __all_sync(0xffffffffu, t >= 0);
}
