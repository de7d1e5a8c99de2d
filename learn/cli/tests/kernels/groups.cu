// The same with cooperative groups.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// launch tile_sync clean --grid 1 --block 64 --arg i32[64]
extern "C" __global__ void tile_sync(int* out) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    tile.sync();
    out[threadIdx.x] = s[threadIdx.x ^ 15];
}

// launch tile_shuffle racecheck --grid 1 --block 64 --arg i32[64]
extern "C" __global__ void tile_shuffle(int* out) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    int y = tile.shfl_xor((int)threadIdx.x, 1);
    out[threadIdx.x] = s[threadIdx.x ^ 15] + y;
}

// launch tile_vote racecheck --grid 1 --block 64 --arg i32[64]
extern "C" __global__ void tile_vote(int* out) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    int y = tile.any(threadIdx.x == 3);
    out[threadIdx.x] = s[threadIdx.x ^ 31] + y;
}
