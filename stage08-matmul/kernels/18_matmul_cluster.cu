// c[i, j] = sum over k of a[i, k] b[k, j]: the product of two n x n matrices of bf16 in row-major order, with sums in f32.
//
// shapes      a, b: tensor maps (CUtensorMap) of (n, n) matrices, the bits of bf16, not modified, with swizzles of 128 bytes: a
//             has boxes of TALL x DEPTH; b, as (n / CHUNK, n, CHUNK), boxes of WIDE / CHUNK / BLOCKS x DEPTH x CHUNK. c: (n, n),
//             f32, 16-byte aligned. n a multiple of WIDE = 256, to which the host pads with zeros
// launch      requires compute capability 9.0a; an even number of blocks, in clusters of BLOCKS = 2, for which the host asks by
//             an attribute of the launch; block = 384, 513 * block bytes of dynamic shared memory for STAGES tiles of both
//             factors and two barriers for each. A cluster handles squares of 256 x 256 elements of c, one after the other; a
//             block TALL = 128 rows of them. Indices are 32-bit: n * n < 2^31.
// bottleneck  17: of blocks that are one below the other, each brings the same columns of b from the L2 cache.
// idea        two blocks are a cluster, which can access each other's shared memory. Each brings half of the columns, and the
//             copy writes them to both blocks (multicast). A stage is empty if the warps of both blocks are done with it: they
//             arrive at the barriers of both. No block ends before the other's last access to its shared memory.
// expected    copies of 2/3 of the bytes: a block brings 16 KB of each factor per stage, and not 16 and 32 KB.

// CUtensorMap.
struct alignas(64) TensorMap {
    unsigned char opaque[128];
};

__device__ __forceinline__ void initialize(unsigned int barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Arrives at the barrier of a block of the cluster that is at this place in shared memory. It orders nothing in the other block,
// and need not: copies and products alone use the stage.
__device__ __forceinline__ void arrive(unsigned int barrier, unsigned int block) {
    asm volatile(
        "{ .reg .u32 there; mapa.shared::cluster.u32 there, %0, %1; "
        "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
        "r"(block)
        : "memory");
}

__device__ __forceinline__ void arrive_and_expect(unsigned int barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Waits for the end of the phase of this parity.
__device__ __forceinline__ void wait(unsigned int barrier, int parity) {
    unsigned int over;
    do {
        asm volatile(
            "{ .reg .pred over; mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2; selp.u32 %0, 1, 0, over; }"
            : "=r"(over)
            : "r"(barrier), "r"(parity)
            : "memory");
    } while (!over);
}

// Starts the copy of a box to shared memory.
__device__ __forceinline__ void copy_box(unsigned int to, const TensorMap& map, unsigned int barrier, int x, int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            to),
        "l"(&map), "r"(barrier), "r"(x), "r"(y)
        : "memory");
}

// Starts the copy of a box to the same place of the blocks in `blocks`, one bit for each, at whose barriers it arrives.
__device__ __forceinline__ void copy_box_to(unsigned short blocks, unsigned int to, const TensorMap& map,
                                            unsigned int barrier, int x, int y, int z) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(blocks)
        : "memory");
}

// Waits for all threads of the cluster that have not ended.
__device__ __forceinline__ void wait_for_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Returns the descriptor of a factor in shared memory with a swizzle of 128 bytes. In a cluster, the upper bits of an address are
// the rank of the block, for which the descriptor has no room.
__device__ __forceinline__ unsigned long long descriptor(unsigned int address, unsigned int leading,
                                                         unsigned int stride) {
    return (address & 0x3ffff) >> 4 | static_cast<unsigned long long>(leading >> 4) << 16 |
           static_cast<unsigned long long>(stride >> 4) << 32 | 1ull << 62;
}

// sums (64 x 256) = a (64 x 16) b (16 x 256), or += if adds. b is transposed: its rows are contiguous.
__device__ __forceinline__ void multiply(float (&sums)[128], unsigned long long a, unsigned long long b, int adds) {
    asm volatile(
        "{ .reg .pred adds; setp.ne.b32 adds, %130, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, adds, 1, 1, 0, 1; }"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]),
          "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]),
          "+f"(sums[14]), "+f"(sums[15]), "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]), "+f"(sums[24]), "+f"(sums[25]),
          "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31]),
          "+f"(sums[32]), "+f"(sums[33]), "+f"(sums[34]), "+f"(sums[35]), "+f"(sums[36]), "+f"(sums[37]),
          "+f"(sums[38]), "+f"(sums[39]), "+f"(sums[40]), "+f"(sums[41]), "+f"(sums[42]), "+f"(sums[43]),
          "+f"(sums[44]), "+f"(sums[45]), "+f"(sums[46]), "+f"(sums[47]), "+f"(sums[48]), "+f"(sums[49]),
          "+f"(sums[50]), "+f"(sums[51]), "+f"(sums[52]), "+f"(sums[53]), "+f"(sums[54]), "+f"(sums[55]),
          "+f"(sums[56]), "+f"(sums[57]), "+f"(sums[58]), "+f"(sums[59]), "+f"(sums[60]), "+f"(sums[61]),
          "+f"(sums[62]), "+f"(sums[63]), "+f"(sums[64]), "+f"(sums[65]), "+f"(sums[66]), "+f"(sums[67]),
          "+f"(sums[68]), "+f"(sums[69]), "+f"(sums[70]), "+f"(sums[71]), "+f"(sums[72]), "+f"(sums[73]),
          "+f"(sums[74]), "+f"(sums[75]), "+f"(sums[76]), "+f"(sums[77]), "+f"(sums[78]), "+f"(sums[79]),
          "+f"(sums[80]), "+f"(sums[81]), "+f"(sums[82]), "+f"(sums[83]), "+f"(sums[84]), "+f"(sums[85]),
          "+f"(sums[86]), "+f"(sums[87]), "+f"(sums[88]), "+f"(sums[89]), "+f"(sums[90]), "+f"(sums[91]),
          "+f"(sums[92]), "+f"(sums[93]), "+f"(sums[94]), "+f"(sums[95]), "+f"(sums[96]), "+f"(sums[97]),
          "+f"(sums[98]), "+f"(sums[99]), "+f"(sums[100]), "+f"(sums[101]), "+f"(sums[102]), "+f"(sums[103]),
          "+f"(sums[104]), "+f"(sums[105]), "+f"(sums[106]), "+f"(sums[107]), "+f"(sums[108]), "+f"(sums[109]),
          "+f"(sums[110]), "+f"(sums[111]), "+f"(sums[112]), "+f"(sums[113]), "+f"(sums[114]), "+f"(sums[115]),
          "+f"(sums[116]), "+f"(sums[117]), "+f"(sums[118]), "+f"(sums[119]), "+f"(sums[120]), "+f"(sums[121]),
          "+f"(sums[122]), "+f"(sums[123]), "+f"(sums[124]), "+f"(sums[125]), "+f"(sums[126]), "+f"(sums[127])
        : "l"(a), "l"(b), "r"(adds));
}

__device__ __forceinline__ void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void commit_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int PENDING>
__device__ __forceinline__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

extern "C" __global__ void __launch_bounds__(384, 1)
    matmulCluster(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* __restrict__ c,
                  int n) {
    constexpr int TALL = 128, WIDE = 256;          // rows and columns of c per tile
    constexpr int DEPTH = 64, STAGES = 4;          // terms per stage
    constexpr int CHUNK = 64;                      // columns of b in a row of the swizzle
    constexpr int GROUP_ROWS = 64, STEP = 16;      // of a product
    constexpr int SUMS = GROUP_ROWS * WIDE / 128;  // per thread
    constexpr int GROUPS = TALL / GROUP_ROWS;      // warpgroups that multiply
    constexpr int BLOCKS = 2;                      // of a cluster
    constexpr int BAND = 8;                        // rows of squares that share the L2 cache
    constexpr int A_BYTES = TALL * DEPTH * 2, B_BYTES = DEPTH * WIDE * 2;
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned int tiles_a = static_cast<unsigned int>(__cvta_generic_to_shared(memory));
    const unsigned int tiles_b = tiles_a + STAGES * A_BYTES;
    const unsigned int full = tiles_b + STAGES * B_BYTES, empty = full + STAGES * 8;
    const int group = threadIdx.x / 128, t = threadIdx.x % 128;
    const int block = blockIdx.x % BLOCKS;  // in the cluster
    const int side = n / WIDE, steps = n / DEPTH;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            initialize(full + stage * 8, 1);
            initialize(empty + stage * 8, 4 * GROUPS * BLOCKS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    // no block arrives at a barrier that is not initialized
    wait_for_cluster();

    int stage = 0, parity = 0;
    auto next_stage = [&] {
        stage = (stage + 1) % STAGES;
        if (stage == 0) parity ^= 1;
    };

    // The block's first row and column in a square.
    auto place_of = [&](int square) {
        const int first = square / (BAND * side) * BAND, rows = min(BAND, side - first),
                  in_band = square % (BAND * side);
        return int2{(first + in_band % rows) * WIDE + block * TALL, in_band / rows * WIDE};
    };
    const int first_square = blockIdx.x / BLOCKS, squares_apart = gridDim.x / BLOCKS;

    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int square = first_square; t == 0 && square < side * side; square += squares_apart) {
            const int2 place = place_of(square);
            for (int step = 0; step < steps; ++step, next_stage()) {
                wait(empty + stage * 8, parity ^ 1);
                arrive_and_expect(full + stage * 8, A_BYTES + B_BYTES);
                copy_box(tiles_a + stage * A_BYTES, a, full + stage * 8, step * DEPTH, place.x);
                // half of the columns for both blocks; the other block brings the other half
                copy_box_to(0b11, tiles_b + stage * B_BYTES + block * (B_BYTES / BLOCKS), b, full + stage * 8, 0,
                            step * DEPTH, place.y / CHUNK + block * (WIDE / CHUNK / BLOCKS));
            }
        }
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int warp = t / 32, lane = t % 32;
    const unsigned int rows_of_a = (group - 1) * GROUP_ROWS;
    for (int square = first_square; square < side * side; square += squares_apart) {
        const int2 place = place_of(square);
        float sums[SUMS];
        int last = 0;
        for (int step = 0; step < steps; ++step, next_stage()) {
            wait(full + stage * 8, parity);
            begin_products();
#pragma unroll
            for (int k = 0; k < DEPTH / STEP; ++k)
                multiply(
                    sums,
                    descriptor(tiles_a + stage * A_BYTES + rows_of_a * DEPTH * 2 + k * STEP * 2, 16, 8 * DEPTH * 2),
                    descriptor(tiles_b + stage * B_BYTES + k * STEP * CHUNK * 2, DEPTH * CHUNK * 2, 8 * CHUNK * 2),
                    step + k > 0);
            commit_products();
            // the products of the last stage are complete
            wait_for_products<1>();
            if (step > 0 && lane < BLOCKS) arrive(empty + last * 8, lane);
            last = stage;
        }
        wait_for_products<0>();
        if (lane < BLOCKS) arrive(empty + last * 8, lane);
        float* const to = c + (place.x + rows_of_a + warp * 16 + lane / 4) * n + place.y + lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < SUMS; i += 4) {
            *reinterpret_cast<float2*>(to + i * 2) = make_float2(sums[i], sums[i + 1]);
            *reinterpret_cast<float2*>(to + 8 * n + i * 2) = make_float2(sums[i + 2], sums[i + 3]);
        }
    }
    // the other block may still write to this one's shared memory, or arrive there
    wait_for_cluster();
}
