// a_i = sum over j != i of r / |r|^3, r = the displacement from x_i to the nearest image of x_j in the unit square.
//
// shapes      position: (n) of uint2, in units of 2^-32 of the square's side, n >= 1; acceleration: (n) of float2,
//             written
// launch      a one-dimensional grid of at least ceil(n / 256) blocks, block = 256. n need not be a multiple of 256 or
//             of the chunk, 1024. Indices are 32-bit: grid * 256 + n < 2^31.
// bottleneck  10: the nearest image takes two comparisons, two selections and a subtraction per coordinate, more than
//             the force itself. Counter: warp_instructions.
// idea        fixed-point coordinates, as 32-bit fractions of the side. Integers wrap around as the square does, so
//             that a difference, interpreted as a signed number, is the displacement to the nearest image; one
//             conversion makes it a float. A tiny constant added to |r|^2 makes the term of the body itself zero
//             without a selection.
// expected    about three fifths of 10's instructions. No displacement loses precision: the resolution is 2^-32
//             everywhere.

extern "C" __global__ void __launch_bounds__(256)
    periodicFractions(const uint2* __restrict__ position, float2* __restrict__ acceleration, int n) {
    constexpr int BLOCK = 256;
    constexpr int EACH = 4;  // positions copied per thread
    constexpr int CHUNK = BLOCK * EACH;
    // added to |r|^2, which is 0 for the body itself and at least 1 otherwise: too small to change its rounded value
    constexpr float TINY = 1e-9f;
    constexpr float UNITS = 4294967296.0f;  // units per side, 2^32
    __shared__ uint2 chunk[CHUNK];
    const int t = threadIdx.x;             // [0, BLOCK)
    const int i = blockIdx.x * BLOCK + t;  // target, [0, grid * BLOCK)

    // a thread past n still copies and must reach the barriers; it recomputes the last body and stores nothing
    const uint2 own = position[min(i, n - 1)];
    float ax = 0.0f, ay = 0.0f;
    for (int first = 0; first < n; first += CHUNK) {
        const int count = min(CHUNK, n - first);  // positions in this chunk, [1, CHUNK]
        for (int k = t; k < count; k += BLOCK) chunk[k] = position[first + k];
        // the chunk must be complete before any thread reads it
        __syncthreads();

        for (int k = 0; k < count; ++k) {
            const float dx = (int)(chunk[k].x - own.x);
            const float dy = (int)(chunk[k].y - own.y);
            const float inverse = rsqrtf(dx * dx + (dy * dy + TINY));
            const float weight = inverse * inverse * inverse;
            ax += weight * dx;
            ay += weight * dy;
        }
        // a fast warp must not overwrite the chunk while slower warps still read it
        __syncthreads();
    }
    // converts 1 / |r|^2 to units of the side
    if (i < n) acceleration[i] = make_float2(UNITS * UNITS * ax, UNITS * UNITS * ay);
}
