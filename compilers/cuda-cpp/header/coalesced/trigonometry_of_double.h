// Trigonometric and hyperbolic functions of double, to the accuracy of CUDA's Math API: the comment before a function is its
// largest error in units in the last place, which the tests measure. See exponentials.h for the methods.
#pragma once

// sin(r) and cos(r) of a sum r with |r| <= pi/4.
COALESCED_FUNCTION double coalesced_sine(coalesced_pair r) {
    const double z = r.high * r.high;
    double p = -0x1.ab0f25d21fd92p-41;
    p = fma(p, z, 0x1.6121703ee57b1p-33);
    p = fma(p, z, -0x1.ae64540000f84p-26);
    p = fma(p, z, 0x1.71de3a5455b9ap-19);
    p = fma(p, z, -0x1.a01a01a0198dep-13);
    p = fma(p, z, 0x1.1111111111110p-7);
    p = fma(p, z, -0x1.5555555555555p-3);
    return r.high + fma(r.high * z, p, fma(r.low, -0.5 * z, r.low));
}
COALESCED_FUNCTION double coalesced_cosine(coalesced_pair r) {
    const double z = coalesced_times(r.high, r.high);
    double p = 0x1.ab70a23137c25p-45;
    p = fma(p, z, -0x1.9394ace29bd7bp-37);
    p = fma(p, z, 0x1.1eed8de33ebe0p-29);
    p = fma(p, z, -0x1.27e4fb770e01dp-22);
    p = fma(p, z, 0x1.a01a01a019ce2p-16);
    p = fma(p, z, -0x1.6c16c16c16c16p-10);
    p = fma(p, z, 0x1.5555555555555p-5);
    const coalesced_pair sum = coalesced_short_sum(1.0, -0.5 * z);
    const double lost = fma(r.high, r.high, -z);
    return sum.high + (sum.low + fma(z * z, p, -0.5 * lost - r.high * r.low));
}

// The bits of 2/pi behind the point, after 64 zeros.
static __constant__ const unsigned long long coalesced_two_over_pi_of_double[21] = {
    0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab, 0xf0cfbc209af4361d};

// The remainder of |x| >= 2^20 after division by pi/2 (M. Payne and R. Hanek, 1983): |x| is m 2^e with a whole m of 53 bits, and
// 192 bits of 2/pi matter, the first of which is bit e - 1, because those before it contribute multiples of 4.
COALESCED_FUNCTION coalesced_pair coalesced_far_remainder(double x, int* quarter) {
    const long long bits = __double_as_longlong(x);
    const unsigned long long m = (bits & 0xfffffffffffffll) | 0x10000000000000ll;
    const int first = (int)((bits >> 52) & 0x7ff) - 1075 - 2 + 64;
    const int word = first >> 6, shift = first & 63;
    unsigned long long w[3];
    for (int i = 0; i < 3; ++i) {
        const unsigned long long high = coalesced_two_over_pi_of_double[word + i];
        const unsigned long long low = coalesced_two_over_pi_of_double[word + i + 1];
        w[i] = shift == 0 ? high : high << shift | low >> (64 - shift);
    }
    // The low 192 bits of the product with m: 2 bits before the point.
    const unsigned long long low = w[2] * m;
    const unsigned long long carried = __umul64hi(w[2], m);
    unsigned long long middle = w[1] * m + carried;
    unsigned long long top = w[0] * m + __umul64hi(w[1], m) + (middle < carried);
    unsigned long long bottom = low;
    int n = (int)(top >> 62);
    const bool is_above = top >> 61 & 1;
    if (is_above) {
        // The next multiple is nearer: the negative of the fraction's complement.
        n += 1;
        bottom = ~bottom;
        middle = ~middle;
        top = ~top;
    }
    top &= 0x3fffffffffffffffull;
    coalesced_pair fraction = {0.0, 0.0};
    const unsigned long long words[3] = {top, middle, bottom};
    double unit = 0x1p-30;
    for (int i = 0; i < 3; ++i) {
        fraction = coalesced_sum(fraction, {(double)(words[i] >> 32) * unit, 0.0});
        unit *= 0x1p-32;
        fraction = coalesced_sum(fraction, {(double)(words[i] & 0xffffffffu) * unit, 0.0});
        unit *= 0x1p-32;
    }
    const coalesced_pair r = coalesced_product(fraction, {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
    const bool is_negative = (bits < 0) != is_above;
    *quarter = bits < 0 ? -n : n;
    return is_negative ? coalesced_pair{-r.high, -r.low} : r;
}
// x minus the nearest multiple of pi/2, and which multiple, modulo 4.
COALESCED_FUNCTION coalesced_pair coalesced_remainder(double x, int* quarter) {
    if (__builtin_fabs(x) >= 0x1p20) {
        if (!__builtin_isfinite(x)) {
            *quarter = 0;
            return {__builtin_nan(""), 0.0};
        }
        return coalesced_far_remainder(x, quarter);
    }
    const double n = __builtin_rint(x * 0x1.45f306dc9c883p-1);
    *quarter = (int)n;
    // x minus the first part is exact, and n times the third part is small enough for one rounding.
    const coalesced_pair first = coalesced_product(n, 0x1.921fb54442d18p+0);
    const coalesced_pair second = coalesced_product(n, 0x1.1a62633145c07p-54);
    const coalesced_pair left = coalesced_sum(coalesced_plus(x, -first.high), -first.low);
    return coalesced_sum(left, {-second.high, fma(n, 0x1.f1976b7ed8fbcp-110, -second.low)});
}
COALESCED_FUNCTION double coalesced_sine_of(coalesced_pair r, int quarter) {
    const double value = quarter & 1 ? coalesced_cosine(r) : coalesced_sine(r);
    return quarter & 2 ? -value : value;
}

// 2
COALESCED_FUNCTION double sin(double x) {
    int quarter;
    const coalesced_pair r = coalesced_remainder(x, &quarter);
    return x == 0.0 ? x : coalesced_sine_of(r, quarter);
}
// 2
COALESCED_FUNCTION double cos(double x) {
    int quarter;
    const coalesced_pair r = coalesced_remainder(x, &quarter);
    return coalesced_sine_of(r, quarter + 1);
}
// 2
COALESCED_FUNCTION void sincos(double x, double* sine, double* cosine) {
    *sine = sin(x);
    *cosine = cos(x);
}
// 2
COALESCED_FUNCTION double tan(double x) {
    if (x == 0.0) return x;
    int quarter;
    const coalesced_pair r = coalesced_remainder(x, &quarter);
    const double sine = coalesced_sine(r), cosine = coalesced_cosine(r);
    return quarter & 1 ? -cosine / sine : sine / cosine;
}
// sin(pi x) and cos(pi x) for x = t + quarter / 2, where t is exact.
COALESCED_FUNCTION double coalesced_sine_of_pi(double t, int quarter) {
    return coalesced_sine_of(coalesced_product({t, 0.0}, {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}), quarter);
}
COALESCED_FUNCTION double coalesced_half_turns(double x, int* quarter) {
    const double turn = fma(-2.0, __builtin_rint(0.5 * x), x);
    const double n = __builtin_rint(2.0 * turn);
    *quarter = (int)n;
    return fma(n, -0.5, turn);
}
// 2
COALESCED_FUNCTION double sinpi(double x) {
    int quarter;
    const double t = coalesced_half_turns(x, &quarter);
    const double value = coalesced_sine_of_pi(t, quarter);
    return value == 0.0 ? __builtin_copysign(value, x) : value;
}
// 2
COALESCED_FUNCTION double cospi(double x) {
    int quarter;
    const double t = coalesced_half_turns(x, &quarter);
    return coalesced_sine_of_pi(t, quarter + 1);
}

// The arc tangent of a number in [0, 1]: that of numbers above tan(pi/8) is pi/4 and that of (a - 1) / (a + 1).
COALESCED_FUNCTION double coalesced_arc(double a) {
    const bool is_large = a > 0x1.a827999fcef32p-2;
    const double t = is_large ? (a - 1.0) / (a + 1.0) : a;
    const double z = t * t;
    double p = -0x1.c7c2a937ca6fep-7;
    p = fma(p, z, 0x1.f5c7f627c1867p-6);
    p = fma(p, z, -0x1.5033bdf344ecap-5);
    p = fma(p, z, 0x1.829ac6ea2558cp-5);
    p = fma(p, z, -0x1.aebccb05d29e8p-5);
    p = fma(p, z, 0x1.e1d8e103c7a90p-5);
    p = fma(p, z, -0x1.1110ce9b3f808p-4);
    p = fma(p, z, 0x1.3b13aea671ef0p-4);
    p = fma(p, z, -0x1.745d17354bd3ep-4);
    p = fma(p, z, 0x1.c71c71c6dd538p-4);
    p = fma(p, z, -0x1.24924924920a6p-3);
    p = fma(p, z, 0x1.9999999999997p-3);
    p = fma(p, z, -0x1.5555555555555p-2);
    const double arc = fma(p * z, t, t);
    return is_large ? 0x1.921fb54442d18p-1 + (arc + 0x1.1a62633145c07p-55) : arc;
}
// The angle minus another, whose double and the rest of it are given.
COALESCED_FUNCTION double coalesced_from(double high, double low, double angle) { return high - (angle - low); }
#define COALESCED_QUARTER 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54
#define COALESCED_HALF 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53

// 2
COALESCED_FUNCTION double atan(double x) {
    const double a = __builtin_fabs(x);
    const double arc = coalesced_arc(a > 1.0 ? 1.0 / a : a);
    return __builtin_copysign(a > 1.0 ? coalesced_from(COALESCED_QUARTER, arc) : arc, x);
}
// 2
COALESCED_FUNCTION double atan2(double y, double x) {
    if (__builtin_isnan(x) || __builtin_isnan(y)) return __builtin_nan("");
    const double a = __builtin_fabs(x), b = __builtin_fabs(y);
    double small = fmin(a, b), large = fmax(a, b);
    if (large == __builtin_inf()) {
        small = small == large ? 1.0 : 0.0;
        large = 1.0;
    }
    double arc = coalesced_arc(large == 0.0 ? 0.0 : small / large);
    if (b > a) arc = coalesced_from(COALESCED_QUARTER, arc);
    if (__builtin_signbit(x)) arc = coalesced_from(COALESCED_HALF, arc);
    return __builtin_copysign(arc, y);
}
// The arc sine of a number in [0, 0.5].
COALESCED_FUNCTION double coalesced_arc_sine(double a) {
    const double z = a * a;
    double p = 0x1.f7b7e46af0ee7p-6;
    p = fma(p, z, -0x1.8a435f5117257p-6);
    p = fma(p, z, 0x1.720d0586f24a2p-6);
    p = fma(p, z, 0x1.804c02406780dp-12);
    p = fma(p, z, 0x1.20548a3ca847dp-7);
    p = fma(p, z, 0x1.0a9171f4c504ep-7);
    p = fma(p, z, 0x1.40e47f482ed3fp-7);
    p = fma(p, z, 0x1.7a70ab2bcdeadp-7);
    p = fma(p, z, 0x1.c99b000e791f4p-7);
    p = fma(p, z, 0x1.1c4ebd6df68b7p-6);
    p = fma(p, z, 0x1.6e8ba31ce37bfp-6);
    p = fma(p, z, 0x1.f1c71c70ed1adp-6);
    p = fma(p, z, 0x1.6db6db6db7c96p-5);
    p = fma(p, z, 0x1.333333333332dp-4);
    p = fma(p, z, 0x1.5555555555555p-3);
    return fma(p * z, a, a);
}
// 2
COALESCED_FUNCTION double asin(double x) {
    const double a = __builtin_fabs(x);
    const double arc = coalesced_arc_sine(a > 0.5 ? __builtin_sqrt(fma(-0.5, a, 0.5)) : a);
    return __builtin_copysign(a > 0.5 ? coalesced_from(COALESCED_QUARTER, 2.0 * arc) : arc, x);
}
// 2
COALESCED_FUNCTION double acos(double x) {
    const double a = __builtin_fabs(x);
    const double arc = coalesced_arc_sine(a > 0.5 ? __builtin_sqrt(fma(-0.5, a, 0.5)) : a);
    if (a > 0.5) return x > 0.0 ? 2.0 * arc : coalesced_from(COALESCED_HALF, 2.0 * arc);
    return coalesced_from(COALESCED_QUARTER, __builtin_copysign(arc, x));
}
#undef COALESCED_QUARTER
#undef COALESCED_HALF

// 2
COALESCED_FUNCTION double sinh(double x) {
    const double a = __builtin_fabs(x);
    if (a < 1.0) {
        const double z = x * x;
        double p = 0x1.99f0806c2628dp-49;
        p = fma(p, z, 0x1.ae777c36fd5b6p-41);
        p = fma(p, z, 0x1.612467ccb2260p-33);
        p = fma(p, z, 0x1.ae6456792a77fp-26);
        p = fma(p, z, 0x1.71de3a556f96cp-19);
        p = fma(p, z, 0x1.a01a01a01a001p-13);
        p = fma(p, z, 0x1.1111111111111p-7);
        p = fma(p, z, 0x1.5555555555555p-3);
        return fma(x * z, p, x);
    }
    if (!(a < 711.0)) return x != x ? x : __builtin_copysign(__builtin_inf(), x);
    int n;
    const double power = 1.0 + coalesced_exp_parts({a, 0.0}, &n);
    return __builtin_copysign(coalesced_scaled(power, n - 1) - coalesced_scaled(1.0 / power, -n - 1), x);
}
// 1
COALESCED_FUNCTION double cosh(double x) {
    const double a = __builtin_fabs(x);
    if (!(a < 711.0)) return x != x ? x : __builtin_inf();
    int n;
    const double power = 1.0 + coalesced_exp_parts({a, 0.0}, &n);
    return coalesced_scaled(power, n - 1) + coalesced_scaled(1.0 / power, -n - 1);
}
// 1
COALESCED_FUNCTION double tanh(double x) {
    const double a = __builtin_fabs(x);
    if (a < 0.55) {
        const double z = x * x;
        double p = -0x1.93d4f58809d0dp-19;
        p = fma(p, z, 0x1.bfad933eed052p-17);
        p = fma(p, z, -0x1.3f56c69bd63f8p-15);
        p = fma(p, z, 0x1.94e820ca0b2c9p-14);
        p = fma(p, z, -0x1.f551fc4e5d975p-13);
        p = fma(p, z, 0x1.355687b590d50p-11);
        p = fma(p, z, -0x1.7da34f412d0c9p-10);
        p = fma(p, z, 0x1.d6d3d02838d1fp-9);
        p = fma(p, z, -0x1.226e355c60c42p-7);
        p = fma(p, z, 0x1.664f4882ba2b0p-6);
        p = fma(p, z, -0x1.ba1ba1ba1b95ap-5);
        p = fma(p, z, 0x1.1111111111111p-3);
        p = fma(p, z, -0x1.5555555555555p-2);
        return fma(x * z, p, x);
    }
    return __builtin_copysign(1.0 - 2.0 / (exp(2.0 * a) + 1.0), x);
}
// 3
COALESCED_FUNCTION double asinh(double x) {
    const double a = __builtin_fabs(x);
    if (a > 0x1p53) return __builtin_copysign(log(a) + 0x1.62e42fefa39efp-1, x);
    const double square = a * a;
    return __builtin_copysign(log1p(a + square / (1.0 + __builtin_sqrt(1.0 + square))), x);
}
// 3
COALESCED_FUNCTION double acosh(double x) {
    if (x < 1.0) return __builtin_nan("");
    if (x > 0x1p53) return log(x) + 0x1.62e42fefa39efp-1;
    const double t = x - 1.0;
    return log1p(t + __builtin_sqrt(fma(t, t, 2.0 * t)));
}
// 2
COALESCED_FUNCTION double atanh(double x) {
    const double a = __builtin_fabs(x);
    return __builtin_copysign(0.5 * log1p(2.0 * a / (1.0 - a)), x);
}
