// Sums of products of bytes, and of halves with the lower or upper bytes. Some releases of NVRTC have no code of them.
#pragma once

#ifndef COALESCED_FUNCTION
#define COALESCED_FUNCTION __device__ inline
#endif

#define COALESCED_DOT(name, first, second, type, operation)                                                            \
    COALESCED_FUNCTION type name(type a, type b, type c) {                                                             \
        type sum;                                                                                                      \
        asm(operation " %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));                                        \
        return sum;                                                                                                    \
    }                                                                                                                  \
    COALESCED_FUNCTION type name(first a, second b, type c) {                                                          \
        union {                                                                                                        \
            first parts;                                                                                               \
            type whole;                                                                                                \
        } left = {a};                                                                                                  \
        union {                                                                                                        \
            second parts;                                                                                              \
            type whole;                                                                                                \
        } right = {b};                                                                                                 \
        return name(left.whole, right.whole, c);                                                                       \
    }
COALESCED_DOT(__dp4a, char4, char4, int, "dp4a.s32.s32")
COALESCED_DOT(__dp4a, uchar4, uchar4, unsigned int, "dp4a.u32.u32")
COALESCED_DOT(__dp2a_lo, short2, char4, int, "dp2a.lo.s32.s32")
COALESCED_DOT(__dp2a_lo, ushort2, uchar4, unsigned int, "dp2a.lo.u32.u32")
COALESCED_DOT(__dp2a_hi, short2, char4, int, "dp2a.hi.s32.s32")
COALESCED_DOT(__dp2a_hi, ushort2, uchar4, unsigned int, "dp2a.hi.u32.u32")
#undef COALESCED_DOT
