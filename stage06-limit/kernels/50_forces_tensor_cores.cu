// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; the term j = i is zero.
//
// shapes      bodies: (n) of float4, x, y, z and mass, sorted so that neighbors in the array are neighbors in space;
//             forces: (n) of float4, three components and 0, all 0 before the launch; n a multiple of 256, to which the
//             host pads with bodies of zero mass at the position of the last
// launch      requires compute capability 9.0; a two-dimensional grid with a block for each 256 bodies along x and
//             slices of the sources along y, block = 128.
// bottleneck  09: every pair takes six multiply-adds for its two sums and three for its distance. Counter:
//             thread_instructions.
// idea        |x_j - x_i|^2 = |x_i|^2 + |x_j|^2 - 2 x_i x_j is a matrix product, and so are the sums of w x_j and of w:
//             tensor cores compute both, 16 x 8 pairs at a time. They use 11 bits of each factor, which is therefore
//             split into two parts. Differences of large numbers cancel: coordinates are relative to the center of the
//             block's bodies, and near sources are computed directly.
// expected    one root per interaction, without the third law, and roots are a smaller share of the work; but
//             each step depends on the one before it, and matrix products have a long latency. Errors of up to
//             2.4e-4 in a term whose source is just far enough, and of 2e-6 in the forces as a whole.

constexpr unsigned int ALL_LANES = 0xffffffff;
constexpr float GRAVITY = 6.67e-11f;  // m^3 kg^-1 s^-2
constexpr float SOFTENING = 1e-9f;    // m^2
constexpr int WARP = 32;
constexpr int BLOCK = 128;
constexpr int ROWS = 16;                                 // targets per matrix product
constexpr int PRODUCTS = 4;                              // independent products per warp
constexpr int TARGETS = BLOCK / WARP * PRODUCTS * ROWS;  // of a block
constexpr int COLUMNS = 8;                               // sources per product
constexpr int CHUNK = 256;                               // sources in shared memory at a time
constexpr int GROUP = WARP;                              // sources classified together as near or far
constexpr float NEAR = 0.4f;                             // largest gap to a near source, in radii of the block

// Returns 1 / sqrt(x) to within 2^-22.9, the accuracy of rsqrtf; a subnormal x counts as 0.
__device__ __forceinline__ float fast_rsqrt(float x) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

// Returns the part of a float that a tensor core uses: 11 bits of the significand.
__device__ __forceinline__ float high_part(float x) {
    return __uint_as_float(__float_as_uint(x) & 0xffffe000);
}

// Adds to the components of a force; each addition is atomic.
__device__ __forceinline__ void add_to(float4* force, float x, float y, float z) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(force)), "f"(x), "f"(y),
                 "f"(z), "f"(0.0f)
                 : "memory");
}

// sums (16 x 8) = a (16 x 8) b (8 x 8) + addends. Lane 4 g + t holds, in rows g and g + 8, columns 2 t and 2 t + 1 of
// sums and columns t and t + 4 of a, and rows t and t + 4 of column g of b. Bits of a factor beyond 11 are ignored.
__device__ __forceinline__ void multiply_add(float (&sums)[4], const float (&a)[4], float b0, float b1,
                                             const float (&addends)[4]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, "
        "%12, %13};"
        : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)), "f"(addends[0]),
          "f"(addends[1]), "f"(addends[2]), "f"(addends[3]));
}

// The bounding box of the points of a warp's lanes.
struct Box {
    float3 low, high;
};

__device__ __forceinline__ float least(float x) {
    for (int apart = WARP / 2; apart > 0; apart /= 2) x = fminf(x, __shfl_xor_sync(ALL_LANES, x, apart));
    return x;
}

__device__ __forceinline__ float greatest(float x) {
    return -least(-x);
}

__device__ __forceinline__ Box box_around(float3 low, float3 high) {
    return {make_float3(least(low.x), least(low.y), least(low.z)),
            make_float3(greatest(high.x), greatest(high.y), greatest(high.z))};
}

// Returns the gap between two intervals; 0 if they overlap.
__device__ __forceinline__ float gap(float low, float high, float other_low, float other_high) {
    return fmaxf(0.0f, fmaxf(other_low - high, low - other_high));
}

__device__ __forceinline__ float squared_gap(const Box& a, const Box& b) {
    const float x = gap(a.low.x, a.high.x, b.low.x, b.high.x), y = gap(a.low.y, a.high.y, b.low.y, b.high.y),
                z = gap(a.low.z, a.high.z, b.low.z, b.high.z);
    return x * x + y * y + z * z;
}

extern "C" __global__ void __launch_bounds__(BLOCK, 3)
    forcesTensorCores(const float4* __restrict__ bodies, float4* __restrict__ forces, int n) {
    // per lane: in x and y a source's column of b for the distances, in z and w two sources' row of b for the sums
    __shared__ float4 factors[CHUNK / COLUMNS][WARP];
    __shared__ float4 chunk[CHUNK];
    __shared__ Box boxes[CHUNK / GROUP];
    __shared__ Box warp_boxes[BLOCK / WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int g = lane / 4, t = lane % 4;
    const int first_target = blockIdx.x * TARGETS + warp * PRODUCTS * ROWS;

    // the bounding box of the warp's targets, and the bounding sphere of the block's
    Box own;
    {
        const float4 a = bodies[first_target + lane], b = bodies[first_target + WARP + lane];
        own = box_around(make_float3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)),
                         make_float3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)));
        if (lane == 0) warp_boxes[warp] = own;
    }
    // all threads read the boxes of all warps
    __syncthreads();
    Box all = warp_boxes[0];
    for (int w = 1; w < BLOCK / WARP; ++w) {
        const Box box = warp_boxes[w];
        all = {
            make_float3(fminf(all.low.x, box.low.x), fminf(all.low.y, box.low.y), fminf(all.low.z, box.low.z)),
            make_float3(fmaxf(all.high.x, box.high.x), fmaxf(all.high.y, box.high.y), fmaxf(all.high.z, box.high.z))};
    }
    const float3 center =
        make_float3(0.5f * (all.low.x + all.high.x), 0.5f * (all.low.y + all.high.y), 0.5f * (all.low.z + all.high.z));
    const float rx = all.high.x - center.x, ry = all.high.y - center.y, rz = all.high.z - center.z;
    const float near_squared = NEAR * NEAR * (rx * rx + ry * ry + rz * rz);

    // the factors of the distances, for rows g and g + 8 of each product
    float high[PRODUCTS][4], low[PRODUCTS][4];
#pragma unroll
    for (int p = 0; p < PRODUCTS; ++p) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float4 body = bodies[first_target + p * ROWS + half * 8 + g];
            const float x = body.x - center.x, y = body.y - center.y, z = body.z - center.z;
            const float factor = -2.0f * (t == 0 ? x : t == 1 ? y : z);
            const float square = x * x + (y * y + (z * z + SOFTENING));
            high[p][half] = t == 3 ? 1.0f : high_part(factor);
            high[p][2 + half] = high_part(t == 3 ? square : factor);
            low[p][half] = t == 3 ? 1.0f : factor - high_part(factor);
            low[p][2 + half] = t == 3 ? square - high_part(square) : factor - high_part(factor);
        }
    }

    float sums[PRODUCTS][4] = {};
    float3 plain[2] = {};  // for targets lane and lane + 32 of the warp
    const int chunks = n / CHUNK, each = (chunks + gridDim.y - 1) / gridDim.y;
    const int last = min((int)(blockIdx.y + 1) * each, chunks);
    for (int c = blockIdx.y * each; c < last; ++c) {
#pragma unroll
        for (int s = threadIdx.x; s < CHUNK; s += BLOCK) {
            const float4 body = bodies[c * CHUNK + s];
            chunk[s] = body;
            const float3 place = make_float3(body.x, body.y, body.z);
            const Box box = box_around(place, place);
            if (lane == 0) boxes[s / GROUP] = box;
            const float x = body.x - center.x, y = body.y - center.y, z = body.z - center.z;
            const float column[4] = {x, y, z, x * x + (y * y + z * z)};
            const float row[4] = {body.w * x, body.w * y, body.w * z, body.w};
            float4* const group = factors[s / COLUMNS];
            const int k = s % COLUMNS;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                group[4 * k + i].x = column[i];
                group[4 * k + i].y = column[i] - high_part(column[i]);
                float* const to = &group[4 * i + k / 2].z + k % 2;
                to[0] = row[i];
                to[4 * 16] = row[i] - high_part(row[i]);
            }
        }
        // the tile must be complete before any thread reads it
        __syncthreads();

        float part[PRODUCTS][4] = {};
        for (int q = 0; q < CHUNK / GROUP; ++q) {
            if (squared_gap(own, boxes[q]) <= near_squared) {
#pragma unroll 1
                for (int half = 0; half < 2; ++half) {
                    const float4 body = bodies[first_target + half * WARP + lane];
                    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
#pragma unroll 8
                    for (int s = q * GROUP; s < (q + 1) * GROUP; ++s) {
                        const float4 source = chunk[s];
                        const float dx = source.x - body.x, dy = source.y - body.y, dz = source.z - body.z;
                        const float inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
                        const float weight = source.w * inverse * inverse * inverse;
                        sum.x += weight * dx;
                        sum.y += weight * dy;
                        sum.z += weight * dz;
                    }
                    float3& to = half ? plain[1] : plain[0];
                    to.x += sum.x, to.y += sum.y, to.z += sum.z;
                }
                continue;
            }
#pragma unroll
            for (int k = q * GROUP / COLUMNS; k < (q + 1) * GROUP / COLUMNS; ++k) {
                const float4 b = factors[k][lane];
                const float first = t == 3 ? b.y : b.x, second = t == 3 ? 1.0f : b.y;
#pragma unroll
                for (int p = 0; p < PRODUCTS; ++p) {
                    float d[4] = {}, w[4], rest[4];
                    multiply_add(d, high[p], b.x, second, d);
                    multiply_add(d, low[p], first, second, d);
                    // columns 2 t and 2 t + 1 of the distances serve as columns t and t + 4 of the weights: the order
                    // of sources is arbitrary
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        const float inverse = fast_rsqrt(d[i % 2 * 2 + i / 2]);
                        const float cube = inverse * inverse * inverse;
                        w[i] = high_part(cube);
                        rest[i] = cube - w[i];
                    }
                    multiply_add(part[p], w, b.z, b.w, part[p]);
                    multiply_add(part[p], rest, b.z, b.w, part[p]);
                }
            }
        }
        // tensor cores round toward zero, so that the number of additions per sum is limited
#pragma unroll
        for (int p = 0; p < PRODUCTS; ++p) {
#pragma unroll
            for (int i = 0; i < 4; ++i) sums[p][i] += part[p][i];
        }
        // a fast warp must not overwrite the sources while slower warps still read them
        __syncthreads();
    }

#pragma unroll
    for (int p = 0; p < PRODUCTS; ++p) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            // sums in lanes with t = 0: high parts of x and y; t = 1: of z and mass; t = 2 and 3: the low parts
            float even = sums[p][2 * half], odd = sums[p][2 * half + 1];
            even += __shfl_xor_sync(ALL_LANES, even, 2);
            odd += __shfl_xor_sync(ALL_LANES, odd, 2);
            const float sum_z = __shfl_xor_sync(ALL_LANES, even, 1), sum_mass = __shfl_xor_sync(ALL_LANES, odd, 1);
            if (t == 0) {
                const int i = first_target + p * ROWS + half * 8 + g;
                const float4 body = bodies[i];
                const float scale = GRAVITY * body.w;
                add_to(forces + i, scale * (even - (body.x - center.x) * sum_mass),
                       scale * (odd - (body.y - center.y) * sum_mass),
                       scale * (sum_z - (body.z - center.z) * sum_mass));
            }
        }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int i = first_target + half * WARP + lane;
        const float scale = GRAVITY * bodies[i].w;
        add_to(forces + i, scale * plain[half].x, scale * plain[half].y, scale * plain[half].z);
    }
}
