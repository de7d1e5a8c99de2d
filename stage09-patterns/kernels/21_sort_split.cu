// sorted[] = the keys with bit `shift` clear, then those with it set, each in their order. Pass p of 32 has shift = p.
//
// shapes      keys, sorted: (n), n >= 1; starts: (2, grid): where in sorted[] those keys of a tile begin that have the bit
//             clear, and where those that have it set. A tile is TILE keys, of which each warp has ROWS rows of 32.
// launch      a one-dimensional grid of ceil(n / (16 block)) blocks, block = 256. Before it, 25 counts digits of 1 bit.
// bottleneck  baseline. 32 passes, each of which reads the keys twice and writes them once. Counters: global_load_sectors,
//             global_store_sectors.
// idea        Blelloch, 1990: the scan of the bits has the place of each key. Within a row, the bits of all lanes are one
//             vote, and the number of set bits below a lane is a popc.
// expected    12 bytes per key and pass. The keys of a row go to two places, so a store has up to 6 sectors.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int BLOCK = 256;
constexpr int WARPS = BLOCK / WARP;
constexpr int ROWS = 16;  // keys per thread
constexpr int TILE = BLOCK * ROWS;

extern "C" __global__ void __launch_bounds__(BLOCK)
    sortSplit(const unsigned int* __restrict__ keys, unsigned int* __restrict__ sorted,
              const unsigned int* __restrict__ starts, unsigned int n, unsigned int shift) {
    __shared__ unsigned int set_in[WARPS];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned int below = (1u << lane) - 1;  // the lanes before this one
    const unsigned int in_tile = warp * ROWS * WARP + lane;
    const unsigned int first = blockIdx.x * TILE + in_tile;

    unsigned int key[ROWS], set[ROWS], sum = 0;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int i = first + row * WARP;
        key[row] = i < n ? keys[i] : 0xffffffff;  // behind the last key: no place before a key of the tile
        set[row] = __ballot_sync(ALL_LANES, key[row] >> shift & 1);
        sum += __popc(set[row]);
    }
    if (lane == 0) set_in[warp] = sum;
    // each warp reads the sums of those before it
    __syncthreads();

    unsigned int before = 0;  // keys of the tile before the row that have the bit set
    for (int w = 0; w < warp; ++w) before += set_in[w];
    const unsigned int start_clear = starts[blockIdx.x], start_set = starts[gridDim.x + blockIdx.x];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int rank = before + __popc(set[row] & below);
        const bool is_set = key[row] >> shift & 1;
        const unsigned int place = is_set ? start_set + rank : start_clear + in_tile + row * WARP - rank;
        if (first + row * WARP < n) sorted[place] = key[row];
        before += __popc(set[row]);
    }
}
