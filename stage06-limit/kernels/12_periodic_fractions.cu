// a_i = sum over j != i of r / |r|^3, r = the displacement from x_i to the nearest image of x_j in the unit square.
//
// shapes    position: (n) of uint2, in units of 2^-32 of the square's side, n >= 1; acceleration: (n) of float2, written
// launch    one row of ceil(n / 256) blocks or more, block = 256; neither 256 nor 1024, the chunk, need divide n.
//           Indices are 32-bit: grid * 256 + n < 2^31.
// cost      10: the nearest image takes two comparisons, two selections and a subtraction per coordinate, more than the
//           force itself. Counter: warp_instructions.
// idea      coordinates as 32-bit fractions of the side: integers wrap around as the square does, so that a difference,
//           read as a signed number, is the displacement to the nearest image. A conversion makes it a float. A tiny
//           number added to |r|^2 makes the body's own term zero without a selection.
// expected  about three fifths of 10's instructions. No displacement loses bits: a step is 2^-32 everywhere.

extern "C" __global__ void __launch_bounds__(256)
    periodicFractions(const uint2* __restrict__ position, float2* __restrict__ acceleration, int n) {
    constexpr int BLOCK = 256;
    constexpr int EACH = 4;  // positions that a thread copies
    constexpr int CHUNK = BLOCK * EACH;
    // added to |r|^2, which is 0 for the body itself and otherwise at least 1: too small to change it by a bit
    constexpr float TINY = 1e-9f;
    constexpr float UNITS = 4294967296.0f;  // 2^32 of them are the side
    __shared__ uint2 chunk[CHUNK];
    const int t = threadIdx.x;             // [0, BLOCK)
    const int i = blockIdx.x * BLOCK + t;  // target, [0, grid * BLOCK)

    // a thread past n copies and reaches the barriers like the others; it sums for the last body and stores nothing
    const uint2 own = position[min(i, n - 1)];
    float ax = 0.0f, ay = 0.0f;
    for (int first = 0; first < n; first += CHUNK) {
        const int count = min(CHUNK, n - first);  // positions in this chunk, [1, CHUNK]
        for (int k = t; k < count; k += BLOCK) chunk[k] = position[first + k];
        // all threads read what each has copied
        __syncthreads();

        for (int k = 0; k < count; ++k) {
            const float dx = (int)(chunk[k].x - own.x);
            const float dy = (int)(chunk[k].y - own.y);
            const float inverse = rsqrtf(dx * dx + (dy * dy + TINY));
            const float weight = inverse * inverse * inverse;
            ax += weight * dx;
            ay += weight * dy;
        }
        // a warp ahead of others would copy the next chunk over positions that they still read
        __syncthreads();
    }
    // 1 / |r|^2 in units of the side
    if (i < n) acceleration[i] = make_float2(UNITS * UNITS * ax, UNITS * UNITS * ay);
}
