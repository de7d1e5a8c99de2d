// sorted[] = the keys in the order of their byte `pass`, from the lowest one on; those with the same byte stay in their order.
//
// shapes      keys, sorted: (n), 1 <= n < 2^30; words: (4, BINS), for each pass where in sorted[] the keys with each digit
//             begin, and then (4), 0 before the launch of a pass: the number of tiles that blocks have taken; states:
//             (grid, 2, BINS), of each digit in a tile, in passes with even numbers and with odd ones: 0 before the launch,
//             which sets those of the next pass to 0. A tile is ROWS * BLOCK keys, of which each warp has ROWS rows of 32.
// launch      a one-dimensional grid of ceil(n / (23 BLOCK)) blocks, block = BLOCK, which is in the name of the entry point;
//             124 * block bytes of dynamic shared memory: a tile, and BINS words per warp. Before the first pass, 26 counts
//             the digits of all.
// bottleneck  23: 8 passes, and each reads the keys twice, because the places of a tile depend on the counts of all tiles.
//             Counters: global_load_sectors, global_store_sectors.
// idea        Adinets and Merrill, 2022: one launch per pass with the decoupled look-back of 05, by a thread for each digit. So
//             no kernel counts before each pass, and a digit can have 8 bits.
// expected    36 bytes per key in all, and 1 KB per tile and pass for the states. How often blocks look depends on their
//             order.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int WARP = 32;
constexpr int THREADS = 1152;  // at least so many are on a multiprocessor, with 56 registers each
constexpr int ROWS = 23;       // keys per thread
constexpr int BITS = 8;        // of a digit
constexpr int BINS = 1 << BITS;
constexpr int PASSES = 4;
constexpr int STATES = 2 * BINS;  // of a tile
constexpr int LOOKS = 4;          // loads in flight

// Returns the lanes with the same digit. All 32 lanes must call it.
__device__ __forceinline__ unsigned int match(unsigned int digit) {
    unsigned int same = ALL_LANES;
#pragma unroll
    for (int bit = 0; bit < BITS; ++bit) {
        // a vote, inverted by the lanes with the bit clear: the compiler would take twice as many instructions
        unsigned int same_bit;
        asm volatile(
            "{.reg .pred set; setp.ne.u32 set, %1, 0; vote.sync.ballot.b32 %0, set, 0xffffffff; @!set not.b32 %0, %0;}"
            : "=r"(same_bit)
            : "r"(digit & 1 << bit));
        same &= same_bit;
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

// The state of a digit in a tile, in the upper two bits of its word. The other bits are a number of keys, and both are
// stored by one instruction: so who sees the state has the number, and no order of other accesses is needed.
constexpr unsigned int OF_TILE = 1u << 30;  // the keys of the tile with the digit
constexpr unsigned int OF_ALL = 2u << 30;   // the place in sorted[] behind the last of these
constexpr unsigned int NUMBER = OF_TILE - 1;

// Loads and stores that other blocks may overlap, without any order of other accesses.
__device__ __forceinline__ unsigned int load_relaxed(const unsigned int* address) {
    unsigned int word;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(address));
    return word;
}

__device__ __forceinline__ void store_relaxed(unsigned int* address, unsigned int word) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(word));
}

// Returns the place in sorted[] of the first of `count` keys of a tile with the own digit, and publishes the place behind the
// last one. `start` is the place of the digit's first key of all, and `states` are those of the digit.
__device__ __forceinline__ unsigned int look_back(const unsigned int* start, unsigned int* states, int tile,
                                                  unsigned int count) {
    bool is_known = tile == 0;
    unsigned int place = is_known ? *start : 0;
    for (int last = tile - 1; !is_known;) {
        unsigned int word[LOOKS];
#pragma unroll
        for (int k = 0; k < LOOKS; ++k) word[k] = load_relaxed(states + max(last - k, 0) * STATES);
#pragma unroll
        for (int k = 0; k < LOOKS && word[k] != 0 && !is_known; ++k) {
            place += word[k] & NUMBER;
            is_known = word[k] >= OF_ALL;  // as that of the first tile, if it is not 0
            --last;
        }
    }
    store_relaxed(states + tile * STATES, OF_ALL | place + count);
    return place;
}

template <int BLOCK>
__device__ __forceinline__ void sort_one_sweep(const unsigned int* keys, unsigned int* sorted, unsigned int* words,
                                               unsigned int* states, unsigned int n, int pass) {
    constexpr int WARPS = BLOCK / WARP;
    constexpr int TILE = BLOCK * ROWS;
    constexpr int COUNTING = BINS / WARP;  // warps with a thread for each digit
    extern __shared__ unsigned int tile[];
    unsigned int(*const places)[BINS] =
        reinterpret_cast<unsigned int(*)[BINS]>(tile + TILE);  // (WARPS, BINS), as in 23
    __shared__ unsigned int moves[BINS];  // from the place in the tile to that in sorted[], modulo 2^32
    __shared__ unsigned int sums[COUNTING], taken;
    const int t = threadIdx.x;  // [0, BLOCK)
    const int lane = t % WARP, warp = t / WARP;
    const unsigned int below = (1u << lane) - 1;  // the lanes before this one

    // blocks may start in any order; the tiles of those that have started are taken from the first on
    if (t == 0) taken = atomicAdd(words + PASSES * BINS + pass, 1);
#pragma unroll
    for (int digit = lane; digit < BINS; digit += WARP) places[warp][digit] = 0;
    __syncthreads();
    const unsigned int own_tile = taken;  // [0, grid)
    const unsigned int first = own_tile * TILE + warp * ROWS * WARP + lane;

    unsigned int key[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int i = first + row * WARP;
        key[row] = i < n ? keys[i] : 0xffffffff;  // behind the last key: no place before a key of the tile
    }
    unsigned int selector = 0x4440 + pass;  // of the byte
#pragma unroll
    for (int row = 0; row < ROWS; ++row) atomicAdd(&places[warp][__byte_perm(key[row], 0, selector)], 1);
    // a thread for each digit reads the counts of all warps
    __syncthreads();
    unsigned int before[WARPS], count = 0, up_to_lane = 0;
    if (t < BINS) {
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            before[w] = count;
            count += places[w][t];
        }
        if (own_tile > 0) store_relaxed(states + own_tile * STATES + pass % 2 * BINS + t, OF_TILE | count);
        states[own_tile * STATES + (pass + 1) % 2 * BINS + t] = 0;
        up_to_lane = warp_scan(count);
        if (lane == WARP - 1) sums[warp] = up_to_lane;
    }
    // these threads read the sums
    __syncthreads();
    unsigned int start = up_to_lane - count;  // of the digit in the tile
    if (t < BINS) {
#pragma unroll
        for (int w = 0; w < COUNTING - 1; ++w) start += w < warp ? sums[w] : 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) places[w][t] = start + before[w];
    }
    // each warp reads its places
    __syncthreads();

    asm volatile("" : "+r"(selector));  // or the digits would be kept in registers since they were counted
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int digit = __byte_perm(key[row], 0, selector);
        const unsigned int same = match(digit);
        const unsigned int rank = __popc(same & below);
        const int last = WARP - 1 - __clz(same);  // of these lanes
        unsigned int place = 0;
        if (lane == last) place = atomicAdd(&places[warp][digit], rank + 1);
        // the next row follows, though its last lanes are others
        __syncwarp();
        tile[__shfl_sync(ALL_LANES, place, last) + rank] = key[row];
    }
    if (t < BINS) moves[t] = look_back(words + pass * BINS + t, states + pass % 2 * BINS + t, own_tile, count) - start;
    // the tile and the moves are complete
    __syncthreads();
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const unsigned int place = row * BLOCK + t;
        const unsigned int key = tile[place];
        if (own_tile * TILE + place < n) sorted[moves[__byte_perm(key, 0, selector)] + place] = key;
    }
}

#define ENTRY_POINT(BLOCK)                                                                             \
    extern "C" __global__ void __launch_bounds__(BLOCK, THREADS / BLOCK)                               \
        sortOneSweep_##BLOCK(const unsigned int* __restrict__ keys, unsigned int* __restrict__ sorted, \
                             unsigned int* words, unsigned int* states, unsigned int n, int pass) {    \
        sort_one_sweep<BLOCK>(keys, sorted, words, states, n, pass);                                   \
    }

ENTRY_POINT(256)
ENTRY_POINT(384)
ENTRY_POINT(512)
