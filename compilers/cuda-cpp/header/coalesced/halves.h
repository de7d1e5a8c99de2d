// `__half` and pairs of them. Sums, products and fused ones round once, to the nearest; comparisons with NaN are false.
#pragma once

struct __half {
    _Float16 value;
    __half() = default;
    COALESCED_MEMBER __half(float a) : value((_Float16)a) {}
    COALESCED_MEMBER __half(double a) : value((_Float16)a) {}
    COALESCED_MEMBER __half(int a) : value((_Float16)a) {}
    COALESCED_MEMBER operator float() const { return (float)value; }
};
typedef __half half;
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
};
typedef __half2 half2;

COALESCED_FUNCTION __half coalesced_half(_Float16 value) {
    __half result;
    result.value = value;
    return result;
}

COALESCED_FUNCTION __half __float2half(float a) { return a; }
COALESCED_FUNCTION __half __float2half_rn(float a) { return a; }
COALESCED_FUNCTION float __half2float(__half a) { return a; }
COALESCED_FUNCTION __half __int2half_rn(int a) { return a; }
COALESCED_FUNCTION __half __double2half(double a) { return a; }
COALESCED_FUNCTION unsigned short __half_as_ushort(__half a) { return __builtin_bit_cast(unsigned short, a.value); }
COALESCED_FUNCTION __half __ushort_as_half(unsigned short a) { return coalesced_half(__builtin_bit_cast(_Float16, a)); }

// An operation of halves, and the same of pairs. A product is not fused with the sum that follows it.
COALESCED_FUNCTION __half __hneg(__half a) { return coalesced_half(-a.value); }
COALESCED_FUNCTION __half __hfma(__half a, __half b, __half c) {
    return coalesced_half(__builtin_fmaf16(a.value, b.value, c.value));
}
#define COALESCED_HALF_OPERATION(name, letter, instruction)                                                            \
    COALESCED_FUNCTION __half name(__half a, __half b) {                                                               \
        unsigned short result;                                                                                         \
        asm(instruction " %0, %1, %2;" : "=h"(result) : "h"(__half_as_ushort(a)), "h"(__half_as_ushort(b)));           \
        return __ushort_as_half(result);                                                                               \
    }                                                                                                                  \
    COALESCED_FUNCTION __half operator letter(__half a, __half b) { return name(a, b); }                               \
    COALESCED_FUNCTION __half2 name##2(__half2 a, __half2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }              \
    COALESCED_FUNCTION __half2 operator letter(__half2 a, __half2 b) { return name##2(a, b); }                         \
    COALESCED_FUNCTION __half& operator letter##=(__half& a, __half b) { return a = name(a, b); }                      \
    COALESCED_FUNCTION __half2& operator letter##=(__half2& a, __half2 b) { return a = name##2(a, b); }
COALESCED_HALF_OPERATION(__hadd, +, "add.rn.f16")
COALESCED_HALF_OPERATION(__hsub, -, "sub.rn.f16")
COALESCED_HALF_OPERATION(__hmul, *, "mul.rn.f16")
#undef COALESCED_HALF_OPERATION
COALESCED_FUNCTION __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
COALESCED_FUNCTION __half operator/(__half a, __half b) { return __hdiv(a, b); }
COALESCED_FUNCTION __half operator-(__half a) { return __hneg(a); }

#define COALESCED_HALF_COMPARISON(name, letter)                                                                        \
    COALESCED_FUNCTION bool name(__half a, __half b) { return a.value letter b.value; }                                \
    COALESCED_FUNCTION bool operator letter(__half a, __half b) { return name(a, b); }
COALESCED_HALF_COMPARISON(__heq, ==)
COALESCED_HALF_COMPARISON(__hlt, <)
COALESCED_HALF_COMPARISON(__hle, <=)
COALESCED_HALF_COMPARISON(__hgt, >)
COALESCED_HALF_COMPARISON(__hge, >=)
#undef COALESCED_HALF_COMPARISON
COALESCED_FUNCTION bool __hne(__half a, __half b) { return a.value < b.value || a.value > b.value; }
COALESCED_FUNCTION bool __hisnan(__half a) { return __builtin_isnan((float)a.value); }
COALESCED_FUNCTION __half __habs(__half a) { return __ushort_as_half(__half_as_ushort(a) & 0x7fff); }

COALESCED_FUNCTION __half2 __halves2half2(__half a, __half b) { return {a, b}; }
COALESCED_FUNCTION __half2 make_half2(__half a, __half b) { return {a, b}; }
COALESCED_FUNCTION __half2 __half2half2(__half a) { return {a, a}; }
COALESCED_FUNCTION __half2 __float2half2_rn(float a) { return {a, a}; }
COALESCED_FUNCTION __half2 __floats2half2_rn(float a, float b) { return {a, b}; }
COALESCED_FUNCTION __half2 __float22half2_rn(float2 a) { return {a.x, a.y}; }
COALESCED_FUNCTION float2 __half22float2(__half2 a) { return {a.x, a.y}; }
COALESCED_FUNCTION __half __low2half(__half2 a) { return a.x; }
COALESCED_FUNCTION __half __high2half(__half2 a) { return a.y; }
COALESCED_FUNCTION float __low2float(__half2 a) { return a.x; }
COALESCED_FUNCTION float __high2float(__half2 a) { return a.y; }
COALESCED_FUNCTION __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
COALESCED_FUNCTION __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
COALESCED_FUNCTION __half2 __hneg2(__half2 a) { return {__hneg(a.x), __hneg(a.y)}; }

COALESCED_FUNCTION __half __shfl_sync(unsigned int mask, __half value, int lane, int width = warpSize) {
    return __ushort_as_half(__shfl_sync(mask, (unsigned int)__half_as_ushort(value), lane, width));
}
COALESCED_FUNCTION __half __shfl_down_sync(unsigned int mask, __half value, unsigned int lane, int width = warpSize) {
    return __ushort_as_half(__shfl_down_sync(mask, (unsigned int)__half_as_ushort(value), lane, width));
}
COALESCED_FUNCTION __half __shfl_xor_sync(unsigned int mask, __half value, int lane, int width = warpSize) {
    return __ushort_as_half(__shfl_xor_sync(mask, (unsigned int)__half_as_ushort(value), lane, width));
}

// Roundings toward zero, down and up.
#define COALESCED_ROUNDING(mode, ptx)                                                                                  \
    COALESCED_FUNCTION __half __float2half_##mode(float a) {                                                           \
        unsigned short result;                                                                                         \
        asm("cvt." ptx ".f16.f32 %0, %1;" : "=h"(result) : "f"(a));                                                    \
        return __ushort_as_half(result);                                                                               \
    }
COALESCED_ROUNDING(rz, "rz")
COALESCED_ROUNDING(rd, "rm")
COALESCED_ROUNDING(ru, "rp")
#undef COALESCED_ROUNDING

COALESCED_FUNCTION __half atomicAdd(__half* address, __half value) {
    unsigned short old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
                 : "=h"(old)
                 : "l"(address), "h"(__half_as_ushort(value))
                 : "memory");
    return __ushort_as_half(old);
}
COALESCED_FUNCTION __half2 atomicAdd(__half2* address, __half2 value) {
    unsigned int old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(address), "r"(__builtin_bit_cast(unsigned int, value))
                 : "memory");
    return __builtin_bit_cast(__half2, old);
}
