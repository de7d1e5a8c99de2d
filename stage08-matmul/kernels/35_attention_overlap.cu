// outputs[h, i, c] = sum over j of p[j] v[h, j, c] / sum over j of p[j], p[j] = e^(s[j] - m), s[j] = q[h, i] . k[h, j] /
// sqrt(D), with the largest score m of query i: attention of bf16 with sums in f32. If `causal` is 1, j runs to i, else to
// the last key.
//
// shapes      q, k, v: tensor maps (CUtensorMap) of (heads, n, D) numbers, the bits of bf16, not modified, with swizzles of 128
//             bytes and boxes of 1 x TILE x CHUNK; outputs: (heads, n, D) of f32; n >= 1; D is in the name of the entry point
// launch      requires compute capability 9.0a; ceil(n / TILE) x heads blocks, block = 384, 427 * block bytes of dynamic shared
//             memory for the queries, STAGES tiles of keys and of values, and barriers. A block handles TILE = 128 queries of
//             a head, a warpgroup 64. Places of a head are 32-bit: n * D < 2^31.
// bottleneck  34: a warpgroup waits for its scores, and later for its results, and computes nothing meanwhile.
// idea        a warpgroup starts the scores of its next tile and the product of this tile's weights with the values, and
//             computes the next tile's exponentials as soon as its scores are there, while the other product runs.
// expected    the same counts; products and exponentials of a warpgroup overlap.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr int TILE = 128;       // queries per block, and keys per tile
constexpr int STAGES = 2;       // tiles of keys, and of values
constexpr int GROUP_ROWS = 64;  // queries per warpgroup
constexpr int GROUPS = TILE / GROUP_ROWS;
constexpr int CHUNK = 64;  // numbers of a row of the swizzle
constexpr int STEP = 16;   // terms of a product
constexpr int CHUNK_BYTES = TILE * CHUNK * 2;
constexpr float LOWEST = -3.402823466e38f;
constexpr float LOG2_E = 1.44269504f;

// CUtensorMap.
struct alignas(64) TensorMap {
    unsigned char opaque[128];
};

__device__ __forceinline__ void initialize(unsigned int barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void arrive(unsigned int barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
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

// Starts the copy of a tile to shared memory, in boxes of CHUNK columns.
template <int D>
__device__ __forceinline__ void copy_tile(unsigned int to, const TensorMap& map, unsigned int barrier, int row,
                                          int head) {
    arrive_and_expect(barrier, D / CHUNK * CHUNK_BYTES);
#pragma unroll
    for (int c = 0; c < D / CHUNK; ++c)
        asm volatile(
            "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
            "[%2];" ::"r"(to + c * CHUNK_BYTES),
            "l"(&map), "r"(barrier), "r"(c * CHUNK), "r"(row), "r"(head)
            : "memory");
}

// Returns the descriptor of a matrix in shared memory with a swizzle of 128 bytes: rows of CHUNK numbers, then the next CHUNK of
// all rows.
__device__ __forceinline__ unsigned long long descriptor(unsigned int address) {
    return (address >> 4) | static_cast<unsigned long long>(CHUNK_BYTES >> 4) << 16 |
           static_cast<unsigned long long>(8 * CHUNK * 2 >> 4) << 32 | 1ull << 62;
}

// sums (64 x 128) = q (64 x 16) times the transposed k (128 x 16), or += if adds.
__device__ __forceinline__ void multiply(float (&sums)[64], unsigned long long q, unsigned long long k, int adds) {
    asm volatile(
        "{ .reg .pred adds; setp.ne.b32 adds, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
        "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, %64, %65, adds, 1, 1, 0, 0; }"
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
          "+f"(sums[62]), "+f"(sums[63])
        : "l"(q), "l"(k), "r"(adds));
}

// sums (64 x 64) = weights (64 x 16) in registers times v (16 x 64), or += if adds.
__device__ __forceinline__ void multiply(float (&sums)[32], const unsigned int (&weights)[4], unsigned long long v,
                                         int adds) {
    asm volatile(
        "{ .reg .pred adds; setp.ne.b32 adds, %37, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31"
        "}, {%32, %33, %34, %35}, %36, adds, 1, 1, 1; }"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]),
          "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]),
          "+f"(sums[14]), "+f"(sums[15]), "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]), "+f"(sums[24]), "+f"(sums[25]),
          "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31])
        : "r"(weights[0]), "r"(weights[1]), "r"(weights[2]), "r"(weights[3]), "l"(v), "r"(adds));
}

// The same, 64 x 128.
__device__ __forceinline__ void multiply(float (&sums)[64], const unsigned int (&weights)[4], unsigned long long v,
                                         int adds) {
    asm volatile(
        "{ .reg .pred adds; setp.ne.b32 adds, %69, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
        "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, {%64, %65, %66, %67}, %68, adds, 1, 1, 1; }"
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
          "+f"(sums[62]), "+f"(sums[63])
        : "r"(weights[0]), "r"(weights[1]), "r"(weights[2]), "r"(weights[3]), "l"(v), "r"(adds));
}

__device__ __forceinline__ void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void commit_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits for all but the last PENDING groups of products. To the compiler, `sums` change here.
template <int PENDING, int N>
__device__ __forceinline__ void wait_for_products(float (&sums)[N]) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

// Returns a pair of bf16, rounded.
__device__ __forceinline__ unsigned int pair(float low, float high) {
    unsigned int both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

// Returns 2^x.
__device__ __forceinline__ float power(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

template <int D>
__device__ __forceinline__ void attention(const TensorMap& q, const TensorMap& k, const TensorMap& v, float* outputs,
                                          int n, int causal) {
    constexpr int TILE_BYTES = TILE * D * 2;
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned int tile_q = static_cast<unsigned int>(__cvta_generic_to_shared(memory));
    const unsigned int tiles_k = tile_q + TILE_BYTES, tiles_v = tiles_k + STAGES * TILE_BYTES;
    const unsigned int full_k = tiles_v + STAGES * TILE_BYTES, empty_k = full_k + STAGES * 8;
    const unsigned int full_v = empty_k + STAGES * 8, empty_v = full_v + STAGES * 8, full_q = empty_v + STAGES * 8;
    const int group = threadIdx.x / 128, t = threadIdx.x % 128, lane = t % 32;
    // of causal blocks, those with the most keys begin first
    const int first_query = (gridDim.x - 1 - blockIdx.x) * TILE, head = blockIdx.y;
    const int tiles = ((causal ? min(first_query + TILE, n) : n) + TILE - 1) / TILE;
    if (threadIdx.x == 0) {
        initialize(full_q, 1);
        for (int stage = 0; stage < STAGES; ++stage) {
            initialize(full_k + stage * 8, 1);
            initialize(full_v + stage * 8, 1);
            initialize(empty_k + stage * 8, 4 * GROUPS);
            initialize(empty_v + stage * 8, 4 * GROUPS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();

    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (t != 0) return;
        copy_tile<D>(tile_q, q, full_q, first_query, head);
        for (int step = 0; step < tiles; ++step) {
            const int stage = step % STAGES, parity = step / STAGES % 2 ^ 1, first = (tiles - 1 - step) * TILE;
            wait(empty_k + stage * 8, parity);
            copy_tile<D>(tiles_k + stage * TILE_BYTES, k, full_k + stage * 8, first, head);
            wait(empty_v + stage * 8, parity);
            copy_tile<D>(tiles_v + stage * TILE_BYTES, v, full_v + stage * 8, first, head);
        }
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    const int first_row = (group - 1) * GROUP_ROWS;
    const int query = first_query + first_row + t / 32 * 16 + lane / 4;  // and query + 8
    const float scale = rsqrtf(D) * LOG2_E;
    // Of every four scores or results, the first two belong to `query`, the others to query + 8.
    float p[TILE / 2], results[D / 2], largest[2] = {LOWEST, LOWEST}, sum[2] = {}, factor[2];
    unsigned int weights[TILE / STEP][4];

    auto start_scores = [&](int stage) {
        const unsigned int of_q = tile_q + first_row * CHUNK * 2, of_k = tiles_k + stage * TILE_BYTES;
#pragma unroll
        for (int d = 0; d < D; d += STEP) {
            const unsigned int column = d / CHUNK * CHUNK_BYTES + d % CHUNK * 2;
            multiply(p, descriptor(of_q + column), descriptor(of_k + column), d > 0);
        }
        commit_products();
    };

    auto start_results = [&](int stage, int adds) {
        const unsigned int of_v = tiles_v + stage * TILE_BYTES;
#pragma unroll
        for (int j = 0; j < TILE / STEP; ++j)
            multiply(results, weights[j], descriptor(of_v + j * STEP * CHUNK * 2), adds || j > 0);
        commit_products();
    };

    // Hides the keys of the first tile that are past the last one.
    auto hide_keys = [&] {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int count = (causal ? min(query + i * 8 + 1, n) : n) - (tiles - 1) * TILE;
#pragma unroll
            for (int j = 0; j < TILE / 8; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e)
                    if (j * 8 + lane % 4 * 2 + e >= count) p[j * 4 + i * 2 + e] = LOWEST;
        }
    };

    // Turns scores into exponentials, and sets the factor for those of the tiles before.
    auto exponentials = [&] {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            float next = largest[i];
#pragma unroll
            for (int j = i * 2; j < TILE / 2; j += 4) next = fmaxf(next, fmaxf(p[j], p[j + 1]));
            next = fmaxf(next, __shfl_xor_sync(ALL_LANES, next, 1));
            next = fmaxf(next, __shfl_xor_sync(ALL_LANES, next, 2));
            factor[i] = power((largest[i] - next) * scale);
            const float base = next * scale;
            largest[i] = next;
            sum[i] *= factor[i];
#pragma unroll
            for (int j = i * 2; j < TILE / 2; j += 4)
#pragma unroll
                for (int e = j; e < j + 2; ++e) sum[i] += p[e] = power(p[e] * scale - base);
        }
    };

    auto rescale_results = [&] {
#pragma unroll
        for (int c = 0; c < D / 2; ++c) results[c] *= factor[c / 2 % 2];
    };

    // A product has its left factor in the same places as the scores of one.
    auto round_weights = [&] {
#pragma unroll
        for (int e = 0; e < TILE / 4; ++e) weights[e / 4][e % 4] = pair(p[e * 2], p[e * 2 + 1]);
    };

    wait(full_q, 0);
    wait(full_k, 0);
    begin_products();
    start_scores(0);
    wait_for_products<0>(p);
    if (lane == 0) arrive(empty_k);
    hide_keys();
    exponentials();
    round_weights();
    for (int step = 1; step < tiles; ++step) {
        const int stage = step % STAGES, last = (step - 1) % STAGES;
        wait(full_k + stage * 8, step / STAGES % 2);
        begin_products();
        start_scores(stage);
        wait(full_v + last * 8, (step - 1) / STAGES % 2);
        start_results(last, step > 1);
        wait_for_products<1>(p);
        if (lane == 0) arrive(empty_k + stage * 8);
        exponentials();
        wait_for_products<0>(results);
        if (lane == 0) arrive(empty_v + last * 8);
        rescale_results();
        round_weights();
    }
    wait(full_v + (tiles - 1) % STAGES * 8, (tiles - 1) / STAGES % 2);
    begin_products();
    start_results((tiles - 1) % STAGES, tiles > 1);
    wait_for_products<0>(results);

#pragma unroll
    for (int i = 0; i < 2; ++i) {
        sum[i] += __shfl_xor_sync(ALL_LANES, sum[i], 1);
        sum[i] += __shfl_xor_sync(ALL_LANES, sum[i], 2);
        const float inverse = 1 / sum[i];
        const int row = query + i * 8;
        if (row >= n) continue;
        float* const to = outputs + (static_cast<size_t>(head) * n + row) * D + lane % 4 * 2;
#pragma unroll
        for (int c = i * 2; c < D / 2; c += 4)
            *reinterpret_cast<float2*>(to + c / 4 * 8) = make_float2(results[c] * inverse, results[c + 1] * inverse);
    }
}

extern "C" __global__ void __launch_bounds__(384, 1)
    attentionOverlap_64(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k,
                        const __grid_constant__ TensorMap v, float* __restrict__ outputs, int n, int causal) {
    attention<64>(q, k, v, outputs, n, causal);
}

extern "C" __global__ void __launch_bounds__(384, 1)
    attentionOverlap_128(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k,
                         const __grid_constant__ TensorMap v, float* __restrict__ outputs, int n, int causal) {
    attention<128>(q, k, v, outputs, n, causal);
}
