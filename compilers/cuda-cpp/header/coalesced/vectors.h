// Vectors of two to four numbers, with the alignment of CUDA's: 16 bytes at most, and that of one number for three.
#pragma once

#define COALESCED_VECTORS(number, name, quadruple)                                                                     \
    struct name##1 {                                                                                                   \
        number x;                                                                                                      \
    };                                                                                                                 \
    struct __attribute__((aligned(2 * sizeof(number)))) name##2 {                                                      \
        number x, y;                                                                                                   \
    };                                                                                                                 \
    struct name##3 {                                                                                                   \
        number x, y, z;                                                                                                \
    };                                                                                                                 \
    struct __attribute__((aligned(quadruple))) name##4 {                                                               \
        number x, y, z, w;                                                                                             \
    };                                                                                                                 \
    COALESCED_FUNCTION name##1 make_##name##1(number x) { return {x}; }                                                \
    COALESCED_FUNCTION name##2 make_##name##2(number x, number y) { return {x, y}; }                                   \
    COALESCED_FUNCTION name##3 make_##name##3(number x, number y, number z) { return {x, y, z}; }                      \
    COALESCED_FUNCTION name##4 make_##name##4(number x, number y, number z, number w) { return {x, y, z, w}; }

COALESCED_VECTORS(signed char, char, 4)
COALESCED_VECTORS(unsigned char, uchar, 4)
COALESCED_VECTORS(short, short, 8)
COALESCED_VECTORS(unsigned short, ushort, 8)
COALESCED_VECTORS(int, int, 16)
COALESCED_VECTORS(unsigned int, uint, 16)
COALESCED_VECTORS(long, long, 16)
COALESCED_VECTORS(unsigned long, ulong, 16)
COALESCED_VECTORS(long long, longlong, 16)
COALESCED_VECTORS(unsigned long long, ulonglong, 16)
COALESCED_VECTORS(float, float, 16)
COALESCED_VECTORS(double, double, 16)
#undef COALESCED_VECTORS

// Extents of a grid or a block. Those that are not given are 1.
struct dim3 {
    unsigned int x, y, z;
    COALESCED_MEMBER constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    COALESCED_MEMBER constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    COALESCED_MEMBER constexpr operator uint3() const { return {x, y, z}; }
};
