// Functions of whole numbers and of their bits.
#pragma once

COALESCED_FUNCTION int abs(int a) { return a < 0 ? -a : a; }
COALESCED_FUNCTION long abs(long a) { return a < 0 ? -a : a; }
COALESCED_FUNCTION long long abs(long long a) { return a < 0 ? -a : a; }
COALESCED_FUNCTION long labs(long a) { return abs(a); }
COALESCED_FUNCTION long long llabs(long long a) { return abs(a); }

// The smaller and the larger of two numbers. Of a signed and an unsigned one, both are taken as unsigned.
#define COALESCED_ORDER(type, first, second)                                                                           \
    COALESCED_FUNCTION type min(first a, second b) { return (type)a < (type)b ? (type)a : (type)b; }                   \
    COALESCED_FUNCTION type max(first a, second b) { return (type)a < (type)b ? (type)b : (type)a; }
#define COALESCED_ORDERS(type, other)                                                                                  \
    COALESCED_ORDER(type, type, type)                                                                                  \
    COALESCED_ORDER(unsigned other, unsigned other, unsigned other)                                                    \
    COALESCED_ORDER(unsigned other, type, unsigned other)                                                              \
    COALESCED_ORDER(unsigned other, unsigned other, type)
COALESCED_ORDERS(int, int)
COALESCED_ORDERS(long, long)
COALESCED_ORDERS(long long, long long)
#undef COALESCED_ORDERS
#undef COALESCED_ORDER
COALESCED_FUNCTION unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
COALESCED_FUNCTION unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
COALESCED_FUNCTION long long llmin(long long a, long long b) { return min(a, b); }
COALESCED_FUNCTION long long llmax(long long a, long long b) { return max(a, b); }

COALESCED_FUNCTION int __clz(int a) { return a == 0 ? 32 : __builtin_clz(a); }
COALESCED_FUNCTION int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll(a); }
COALESCED_FUNCTION int __popc(unsigned int a) { return __builtin_popcount(a); }
COALESCED_FUNCTION int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
COALESCED_FUNCTION int __ffs(int a) { return __builtin_ffs(a); }
COALESCED_FUNCTION int __ffsll(long long a) { return __builtin_ffsll(a); }
COALESCED_FUNCTION unsigned int __brev(unsigned int a) { return __builtin_bitreverse32(a); }
COALESCED_FUNCTION unsigned long long __brevll(unsigned long long a) { return __builtin_bitreverse64(a); }
COALESCED_FUNCTION unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
    return __nvvm_prmt(a, b, selector & 0x7777);
}

// 32 of the 64 bits high:low, shifted to the left or right by `shift`, modulo 32 or at most 32.
COALESCED_FUNCTION unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
    return ((unsigned long long)high << 32 | low) << (shift & 31) >> 32;
}
COALESCED_FUNCTION unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
    return ((unsigned long long)high << 32 | low) >> (shift & 31);
}
COALESCED_FUNCTION unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
COALESCED_FUNCTION unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

COALESCED_FUNCTION int __mulhi(int a, int b) { return (long long)a * b >> 32; }
COALESCED_FUNCTION unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned long long)a * b >> 32; }
COALESCED_FUNCTION long long __mul64hi(long long a, long long b) { return (__int128)a * b >> 64; }
COALESCED_FUNCTION unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned __int128)a * b >> 64;
}
COALESCED_FUNCTION int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
COALESCED_FUNCTION unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
COALESCED_FUNCTION unsigned int __sad(int a, int b, unsigned int c) {
    return (a < b ? (unsigned int)b - a : (unsigned int)a - b) + c;
}
COALESCED_FUNCTION unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
    return (a < b ? b - a : a - b) + c;
}
COALESCED_FUNCTION int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
COALESCED_FUNCTION int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
COALESCED_FUNCTION unsigned int __uhadd(unsigned int a, unsigned int b) { return (a & b) + ((a ^ b) >> 1); }
COALESCED_FUNCTION unsigned int __urhadd(unsigned int a, unsigned int b) { return (a | b) - ((a ^ b) >> 1); }
