// sorted[] = the keys in the order of their digit, which is 4 bits from bit `shift` on; those with the same digit stay in
// their order. Pass p of 8 has shift = 4 p.
//
// shapes      keys, sorted: (n), n >= 1; starts: (BINS, grid): where in sorted[] the keys of a tile with each digit begin.
//             A tile is TILE keys, of which each warp has ROWS rows of 32.
// launch      a one-dimensional grid of ceil(n / (16 block)) blocks, block = 256. Before it, 25 counts digits of 4 bits.
// bottleneck  22: the 32 keys of a store go to up to 16 places. Counter: global_store_sectors.
// idea        the block sorts its tile in shared memory. Then neighbors go to neighboring places, but for the 15 gaps
//             between digits: on average 256 keys of a tile have the same digit.
// expected    a store has about as many sectors as a load. In shared memory each key is stored once more, at a random bank,
//             and loaded.

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

// Returns the sum of `value` over the lanes up to this one. All 32 lanes must call it.
__device__ __forceinline__ unsigned int warp_scan(unsigned int value) {
    const int lane = threadIdx.x % WARP;
#pragma unroll
    for (int apart = 1; apart < WARP; apart *= 2) {
        const unsigned int before = __shfl_up_sync(ALL_LANES, value, apart);
        if (lane >= apart) value += before;
    }
    return value;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    sortLocal(const unsigned int* __restrict__ keys, unsigned int* __restrict__ sorted,
              const unsigned int* __restrict__ starts, unsigned int n, unsigned int shift) {
    __shared__ unsigned int places[WARPS][BINS];  // first counts, then the place of the next key in the tile
    __shared__ unsigned int moves[BINS];          // from the place in the tile to that in sorted[], modulo 2^32
    __shared__ unsigned int tile[TILE];
    const int t = threadIdx.x;  // [0, BLOCK)
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
    // a lane of the first warp for each digit reads the counts of all warps
    __syncthreads();
    if (warp == 0) {
        unsigned int count[WARPS], sum = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            count[w] = lane < BINS ? places[w][lane] : 0;
            sum += count[w];
        }
        unsigned int place = warp_scan(sum) - sum;
        if (lane < BINS) {
            moves[lane] = starts[lane * gridDim.x + blockIdx.x] - place;
#pragma unroll
            for (int w = 0; w < WARPS; ++w) {
                places[w][lane] = place;
                place += count[w];
            }
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
        tile[place] = key[row];
    }
    // the tile is complete
    __syncthreads();
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int place = row * BLOCK + t;
        const unsigned int key = tile[place];
        if (blockIdx.x * TILE + place < n) sorted[moves[key >> shift & BINS - 1] + place] = key;
    }
}
