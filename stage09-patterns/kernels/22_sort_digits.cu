// sorted[] = the keys in the order of their digit, which is 4 bits from bit `shift` on; those with the same digit stay in
// their order. Pass p of 8 has shift = 4 p.
//
// shapes      keys, sorted: (n), n >= 1; starts: (BINS, grid): where in sorted[] the keys of a tile with each digit begin.
//             A tile is TILE keys, of which each warp has ROWS rows of 32.
// launch      a one-dimensional grid of ceil(n / (16 block)) blocks, block = 256. Before it, 25 counts digits of 4 bits.
// bottleneck  21: 32 passes, and each moves all keys. Counters: global_load_sectors, global_store_sectors.
// idea        4 bits per pass. The warps count their digits in shared memory, and a sum over the warps makes of the counts
//             the place of the next key of each warp with each digit. Within a row, 4 votes tell which lanes have the same
//             digit; the last of these moves the place on.
// expected    a quarter of the bytes. The keys of a row go to up to 16 places, and a store has twice as many sectors or more.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int BLOCK = 256;
constexpr int WARPS = BLOCK / WARP;
constexpr int ROWS = 16;  // keys per thread
constexpr int TILE = BLOCK * ROWS;
constexpr int BITS = 4;  // of a digit
constexpr int BINS = 1 << BITS;

// Returns the lanes with the same digit. All 32 lanes must call it.
__device__ __forceinline__ unsigned int match(unsigned int digit) {
    unsigned int same = ALL_LANES;
#pragma unroll
    for (int bit = 0; bit < BITS; ++bit) {
        const bool is_set = digit >> bit & 1;
        const unsigned int set = __ballot_sync(ALL_LANES, is_set);
        same &= is_set ? set : ~set;
    }
    return same;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    sortDigits(const unsigned int* __restrict__ keys, unsigned int* __restrict__ sorted,
               const unsigned int* __restrict__ starts, unsigned int n, unsigned int shift) {
    __shared__ unsigned int places[WARPS][BINS];  // first counts, then the place of the next key
    const int t = threadIdx.x;                    // [0, BLOCK)
    const int lane = t % WARP, warp = t / WARP;
    const unsigned int below = (1u << lane) - 1;  // the lanes before this one
    const unsigned int first = blockIdx.x * TILE + warp * ROWS * WARP + lane;

    if (lane < BINS) places[warp][lane] = 0;
    // all lanes count
    __syncwarp();
    unsigned int key[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int i = first + row * WARP;
        key[row] = i < n ? keys[i] : 0xffffffff;  // behind the last key: no place before a key of the tile
        atomicAdd(&places[warp][key[row] >> shift & BINS - 1], 1);
    }
    // a thread for each digit reads the counts of all warps
    __syncthreads();
    if (t < BINS) {
        unsigned int place = starts[t * gridDim.x + blockIdx.x];
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            const unsigned int count = places[w][t];
            places[w][t] = place;
            place += count;
        }
    }
    // each warp reads its places
    __syncthreads();

#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int digit = key[row] >> shift & BINS - 1;
        const unsigned int same = match(digit);
        const unsigned int place = places[warp][digit] + __popc(same & below);
        // all lanes have read the places
        __syncwarp();
        if (same >> lane == 1) places[warp][digit] = place + 1;  // no lane behind this one has the digit
        // the next row reads them
        __syncwarp();
        if (first + row * WARP < n) sorted[place] = key[row];
    }
}
