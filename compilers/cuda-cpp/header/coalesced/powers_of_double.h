// Roots, remainders and exponents of double, to the accuracy of CUDA's Math API: the comment before a function is its largest error
// in units in the last place, which the tests measure. Powers are in exponentials_of_double.h.
#pragma once

COALESCED_FUNCTION int ilogb(double x) {
    const double a = __builtin_fabs(x);
    if (a == 0.0 || a != a) return -2147483647 - 1;
    if (a == __builtin_inf()) return 2147483647;
    const bool is_small = a < 0x1p-1022;
    return (int)(__double_as_longlong(is_small ? a * 0x1p54 : a) >> 52) - (is_small ? 1077 : 1023);
}
COALESCED_FUNCTION double logb(double x) {
    if (x == 0.0) return -__builtin_inf();
    return __builtin_isfinite(x) ? (double)ilogb(x) : x * x;
}
// Exact, or rounded once.
COALESCED_FUNCTION double ldexp(double x, int n) {
    n = min(max(n, -2200), 2200);
    // The second and third factors keep a number that becomes subnormal from being rounded twice.
    for (int i = 0; i < 3 && n < -1022; ++i, n += 968) x *= 0x1p-968;
    for (int i = 0; i < 3 && n > 1023; ++i, n -= 1023) x *= 0x1p1023;
    return x * coalesced_power_of_2_of_double(n);
}
COALESCED_FUNCTION double scalbn(double x, int n) { return ldexp(x, n); }
COALESCED_FUNCTION double scalbln(double x, long n) { return ldexp(x, (int)min(max(n, -2200l), 2200l)); }
COALESCED_FUNCTION double frexp(double x, int* exponent) {
    const bool is_special = x == 0.0 || !__builtin_isfinite(x);
    *exponent = is_special ? 0 : ilogb(x) + 1;
    return is_special ? x + x : ldexp(x, -*exponent);
}

// The cube root of a in [1, 8], from the hardware's estimate by two steps of Newton, the second with the exact cube.
COALESCED_FUNCTION double coalesced_cube_root(double a) {
    double root = __nvvm_ex2_approx_f(__nvvm_lg2_approx_f((float)a) * 0x1.555556p-2f);
    root -= (root * root * root - a) / (3.0 * root * root);
    const coalesced_pair cube = coalesced_product(coalesced_product(root, root), {root, 0.0});
    return root + ((a - cube.high) - cube.low) / (3.0 * root * root);
}
// 1
COALESCED_FUNCTION double cbrt(double x) {
    const double a = __builtin_fabs(x);
    if (!(a > 0.0 && a < __builtin_inf())) return x + x;
    // The exponent of the root, rounded down.
    const int n = (ilogb(a) + 3 * 400) / 3 - 400;
    return __builtin_copysign(ldexp(coalesced_cube_root(ldexp(a, -3 * n)), n), x);
}
// 1
COALESCED_FUNCTION double rcbrt(double x) {
    const double root = cbrt(x);
    const double inverse = 1.0 / root;
    if (!(__builtin_fabs(inverse) > 0.0 && __builtin_fabs(inverse) < __builtin_inf())) return inverse;
    // The root's own error: its cube differs from x.
    const double scale = coalesced_power_of_2_of_double(-ilogb(root));
    const double r = root * scale;
    const coalesced_pair cube = coalesced_product(coalesced_product(r, r), {r, 0.0});
    const double left = (x * scale * scale * scale - cube.high) - cube.low;
    const double low = fma(-root, inverse, 1.0);
    return fma(inverse, low - left / (3.0 * cube.high), inverse);
}
// 2
COALESCED_FUNCTION double hypot(double x, double y) {
    const double a = __builtin_fabs(x), b = __builtin_fabs(y);
    if (a == __builtin_inf() || b == __builtin_inf()) return __builtin_inf();
    const double large = fmax(a, b), small = fmin(a, b);
    // Squares neither overflow nor vanish next to the larger one.
    const double scale = large > 0x1p500 ? 0x1p-600 : large < 0x1p-400 ? 0x1p600 : 1.0;
    const double p = large * scale, q = small * scale;
    return x != x || y != y ? __builtin_nan("") : __builtin_sqrt(fma(p, p, q * q)) / scale;
}

// Exact. The quotient is written if `quotient` is given: its lowest bits.
#define COALESCED_DIVISION(type, f)                                                                                    \
    COALESCED_FUNCTION type coalesced_divided##f(type r, type d, unsigned int* quotient) {                             \
        type multiple = d;                                                                                             \
        *quotient = 0;                                                                                                 \
        while (multiple <= (type)0.5 * r) multiple *= (type)2;                                                         \
        for (;; multiple *= (type)0.5) {                                                                               \
            *quotient <<= 1;                                                                                           \
            if (r >= multiple) {                                                                                       \
                r -= multiple;                                                                                         \
                *quotient |= 1;                                                                                        \
            }                                                                                                          \
            if (multiple == d) return r;                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    COALESCED_FUNCTION type remquo##f(type x, type y, int* quotient) {                                                 \
        const type d = __builtin_fabs##f(y), a = __builtin_fabs##f(x);                                                 \
        *quotient = 0;                                                                                                 \
        if (!__builtin_isfinite(x) || !(d > (type)0)) return __builtin_nan##f("");                                     \
        if (__builtin_isinf(d)) return x;                                                                              \
        unsigned int n;                                                                                                \
        type r = coalesced_divided##f(a, d, &n);                                                                       \
        /* The nearest multiple, of two the even one. Half of d may not be a number, but d - r is. */                  \
        if (r > d - r || (r == d - r && n & 1)) {                                                                      \
            r -= d;                                                                                                    \
            n += 1;                                                                                                    \
        }                                                                                                              \
        *quotient = __builtin_signbit(x) == __builtin_signbit(y) ? (int)(n & 7) : -(int)(n & 7);                       \
        return __builtin_signbit(x) ? -r : r;                                                                          \
    }                                                                                                                  \
    COALESCED_FUNCTION type remainder##f(type x, type y) {                                                             \
        int quotient;                                                                                                  \
        return remquo##f(x, y, &quotient);                                                                             \
    }
COALESCED_DIVISION(float, f)
COALESCED_DIVISION(double, )
#undef COALESCED_DIVISION
COALESCED_FUNCTION float remainder(float x, float y) { return remainderf(x, y); }

// Exact.
COALESCED_FUNCTION double fmod(double x, double y) {
    const double d = __builtin_fabs(y), a = __builtin_fabs(x);
    if (!(a < __builtin_inf()) || !(d > 0.0)) return __builtin_nan("");
    if (a < d || d == __builtin_inf()) return x;
    unsigned int quotient;
    return __builtin_copysign(coalesced_divided(a, d, &quotient), x);
}
