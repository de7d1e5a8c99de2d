// Functions of floating point that the hardware has, and those that follow from them without any error.
#pragma once

// float and double, whose names differ by an f. The results are exact, or rounded once as IEEE 754 says.
#define COALESCED_EXACT(type, f)                                                                                       \
    COALESCED_FUNCTION type fabs##f(type a) { return __builtin_fabs##f(a); }                                           \
    COALESCED_FUNCTION type sqrt##f(type a) { return __builtin_sqrt##f(a); }                                           \
    COALESCED_FUNCTION type fma##f(type a, type b, type c) { return __builtin_fma##f(a, b, c); }                       \
    COALESCED_FUNCTION type fmin##f(type a, type b) { return __builtin_fmin##f(a, b); }                                \
    COALESCED_FUNCTION type fmax##f(type a, type b) { return __builtin_fmax##f(a, b); }                                \
    COALESCED_FUNCTION type floor##f(type a) { return __builtin_floor##f(a); }                                         \
    COALESCED_FUNCTION type ceil##f(type a) { return __builtin_ceil##f(a); }                                           \
    COALESCED_FUNCTION type trunc##f(type a) { return __builtin_trunc##f(a); }                                         \
    COALESCED_FUNCTION type rint##f(type a) { return __builtin_rint##f(a); }                                           \
    COALESCED_FUNCTION type nearbyint##f(type a) { return __builtin_nearbyint##f(a); }                                 \
    COALESCED_FUNCTION type round##f(type a) {                                                                         \
        const type whole = __builtin_trunc##f(a);                                                                      \
        return __builtin_fabs##f(a - whole) >= (type)0.5 ? whole + __builtin_copysign##f((type)1, a) : whole;          \
    }                                                                                                                  \
    COALESCED_FUNCTION type copysign##f(type a, type sign) { return __builtin_copysign##f(a, sign); }                  \
    COALESCED_FUNCTION type fdim##f(type a, type b) { return a <= b ? (type)0 : a - b; }                               \
    COALESCED_FUNCTION long lrint##f(type a) { return (long)__builtin_rint##f(a); }                                    \
    COALESCED_FUNCTION long long llrint##f(type a) { return (long long)__builtin_rint##f(a); }                         \
    COALESCED_FUNCTION long lround##f(type a) { return (long)round##f(a); }                                            \
    COALESCED_FUNCTION long long llround##f(type a) { return (long long)round##f(a); }                                 \
    COALESCED_FUNCTION type nan##f(const char*) { return __builtin_nan##f(""); }                                       \
    COALESCED_FUNCTION type modf##f(type a, type* whole) {                                                             \
        *whole = __builtin_trunc##f(a);                                                                                \
        return __builtin_copysign##f(__builtin_isinf(a) ? (type)0 : a - *whole, a);                                    \
    }                                                                                                                  \
    COALESCED_FUNCTION bool isnan(type a) { return __builtin_isnan(a); }                                               \
    COALESCED_FUNCTION bool isinf(type a) { return __builtin_isinf(a); }                                               \
    COALESCED_FUNCTION bool isfinite(type a) { return __builtin_isfinite(a); }                                         \
    COALESCED_FUNCTION bool signbit(type a) { return __builtin_signbit(a); }                                           \
    COALESCED_FUNCTION type min(type a, type b) { return __builtin_fmin##f(a, b); }                                    \
    COALESCED_FUNCTION type max(type a, type b) { return __builtin_fmax##f(a, b); }
COALESCED_EXACT(float, f)
COALESCED_EXACT(double, )
#undef COALESCED_EXACT

// The names without f for float, as C++ overloads them.
#define COALESCED_OVERLOAD(name)                                                                                       \
    COALESCED_FUNCTION float name(float a) { return name##f(a); }
COALESCED_OVERLOAD(fabs)
COALESCED_OVERLOAD(sqrt)
COALESCED_OVERLOAD(floor)
COALESCED_OVERLOAD(ceil)
COALESCED_OVERLOAD(trunc)
COALESCED_OVERLOAD(rint)
COALESCED_OVERLOAD(round)
COALESCED_FUNCTION long lrint(float a) { return lrintf(a); }
COALESCED_FUNCTION long lround(float a) { return lroundf(a); }
COALESCED_FUNCTION long long llrint(float a) { return llrintf(a); }
COALESCED_FUNCTION long long llround(float a) { return llroundf(a); }
// The neighbor in the direction of b: the next pattern of bits, because those of one sign are in order.
#define COALESCED_NEXT(type, bits, name)                                                                               \
    COALESCED_FUNCTION type name(type a, type b) {                                                                     \
        if (__builtin_isnan(a) || __builtin_isnan(b)) return a + b;                                                    \
        if (a == b) return b;                                                                                          \
        if (a == 0) return __builtin_copysign(__builtin_bit_cast(type, (bits)1), b);                                   \
        const bits pattern = __builtin_bit_cast(bits, a);                                                              \
        return __builtin_bit_cast(type, (bits)((a < b) == (a > 0) ? pattern + 1 : pattern - 1));                       \
    }
COALESCED_NEXT(float, int, nextafterf)
COALESCED_NEXT(double, long long, nextafter)
#undef COALESCED_NEXT
COALESCED_FUNCTION float nextafter(float a, float b) { return nextafterf(a, b); }
COALESCED_FUNCTION float abs(float a) { return fabsf(a); }
COALESCED_FUNCTION double abs(double a) { return fabs(a); }
COALESCED_FUNCTION float fma(float a, float b, float c) { return fmaf(a, b, c); }
COALESCED_FUNCTION float fmin(float a, float b) { return fminf(a, b); }
COALESCED_FUNCTION float fmax(float a, float b) { return fmaxf(a, b); }
COALESCED_FUNCTION float copysign(float a, float sign) { return copysignf(a, sign); }
COALESCED_FUNCTION double fmin(float a, double b) { return fmin((double)a, b); }
COALESCED_FUNCTION double fmin(double a, float b) { return fmin(a, (double)b); }
COALESCED_FUNCTION double fmax(float a, double b) { return fmax((double)a, b); }
COALESCED_FUNCTION double fmax(double a, float b) { return fmax(a, (double)b); }
COALESCED_FUNCTION double min(float a, double b) { return fmin((double)a, b); }
COALESCED_FUNCTION double min(double a, float b) { return fmin(a, (double)b); }
COALESCED_FUNCTION double max(float a, double b) { return fmax((double)a, b); }
COALESCED_FUNCTION double max(double a, float b) { return fmax(a, (double)b); }

// At most 2 and 1 units in the last place: the hardware's estimate for float, two roundings for double.
COALESCED_FUNCTION float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
COALESCED_FUNCTION double rsqrt(double a) { return 1.0 / __builtin_sqrt(a); }
COALESCED_FUNCTION float rsqrt(float a) { return rsqrtf(a); }

// One operation with a rounding, which is never fused with another.
#define COALESCED_ROUNDED(mode)                                                                                        \
    COALESCED_FUNCTION float __fadd_##mode(float a, float b) { return COALESCED_MODE(add, mode, f)(a, b); }            \
    COALESCED_FUNCTION float __fsub_##mode(float a, float b) { return COALESCED_MODE(add, mode, f)(a, -b); }           \
    COALESCED_FUNCTION float __fmul_##mode(float a, float b) { return COALESCED_MODE(mul, mode, f)(a, b); }            \
    COALESCED_FUNCTION float __fdiv_##mode(float a, float b) { return COALESCED_MODE(div, mode, f)(a, b); }            \
    COALESCED_FUNCTION float __frcp_##mode(float a) { return COALESCED_MODE(rcp, mode, f)(a); }                        \
    COALESCED_FUNCTION float __fsqrt_##mode(float a) { return COALESCED_MODE(sqrt, mode, f)(a); }                      \
    COALESCED_FUNCTION float __fmaf_##mode(float a, float b, float c) { return COALESCED_MODE(fma, mode, f)(a, b, c); } \
    COALESCED_FUNCTION double __dadd_##mode(double a, double b) { return COALESCED_MODE(add, mode, d)(a, b); }         \
    COALESCED_FUNCTION double __dsub_##mode(double a, double b) { return COALESCED_MODE(add, mode, d)(a, -b); }        \
    COALESCED_FUNCTION double __dmul_##mode(double a, double b) { return COALESCED_MODE(mul, mode, d)(a, b); }         \
    COALESCED_FUNCTION double __ddiv_##mode(double a, double b) { return COALESCED_MODE(div, mode, d)(a, b); }         \
    COALESCED_FUNCTION double __drcp_##mode(double a) { return COALESCED_MODE(rcp, mode, d)(a); }                      \
    COALESCED_FUNCTION double __dsqrt_##mode(double a) { return COALESCED_MODE(sqrt, mode, d)(a); }                    \
    COALESCED_FUNCTION double __fma_##mode(double a, double b, double c) { return COALESCED_MODE(fma, mode, d)(a, b, c); }
// PTX calls the roundings up and down those to plus and minus infinity.
#define COALESCED_MODE(operation, mode, type) COALESCED_MODE_##mode(operation, type)
#define COALESCED_MODE_rn(operation, type) __nvvm_##operation##_rn_##type
#define COALESCED_MODE_rz(operation, type) __nvvm_##operation##_rz_##type
#define COALESCED_MODE_ru(operation, type) __nvvm_##operation##_rp_##type
#define COALESCED_MODE_rd(operation, type) __nvvm_##operation##_rm_##type
COALESCED_ROUNDED(rn)
COALESCED_ROUNDED(rz)
COALESCED_ROUNDED(ru)
COALESCED_ROUNDED(rd)
#undef COALESCED_ROUNDED
#undef COALESCED_MODE_rn
#undef COALESCED_MODE_rz
#undef COALESCED_MODE_ru
#undef COALESCED_MODE_rd
#undef COALESCED_MODE

// The hardware's estimates, which are fast and less exact.
COALESCED_FUNCTION float __saturatef(float a) { return __nvvm_saturate_f(a); }
COALESCED_FUNCTION float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
COALESCED_FUNCTION float __frsqrt_rn(float a) { return 1.0f / __builtin_sqrtf(a); }
COALESCED_FUNCTION float __sinf(float a) { return __nvvm_sin_approx_f(a); }
COALESCED_FUNCTION float __cosf(float a) { return __nvvm_cos_approx_f(a); }
COALESCED_FUNCTION float __tanf(float a) { return __nvvm_div_approx_f(__sinf(a), __cosf(a)); }
COALESCED_FUNCTION void __sincosf(float a, float* sine, float* cosine) {
    *sine = __sinf(a);
    *cosine = __cosf(a);
}
COALESCED_FUNCTION float __expf(float a) { return __nvvm_ex2_approx_f(a * 0x1.715476p+0f); }
COALESCED_FUNCTION float __exp10f(float a) { return __nvvm_ex2_approx_f(a * 0x1.a934f0p+1f); }
COALESCED_FUNCTION float __log2f(float a) { return __nvvm_lg2_approx_f(a); }
COALESCED_FUNCTION float __logf(float a) { return __nvvm_lg2_approx_f(a) * 0x1.62e430p-1f; }
COALESCED_FUNCTION float __log10f(float a) { return __nvvm_lg2_approx_f(a) * 0x1.344136p-2f; }
COALESCED_FUNCTION float __powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
