// Trigonometric and hyperbolic functions of float, to the accuracy of CUDA's Math API: the comment before a function is its
// largest error in units in the last place, which the tests measure. See exponentials.h for the methods.
#pragma once

// sin(r) and cos(r) for |r| <= pi/4.
COALESCED_FUNCTION float coalesced_sine(float r) {
    const float z = r * r;
    const float p = fmaf(fmaf(fmaf(0x1.6cbec6p-19f, z, -0x1.a00f32p-13f), z, 0x1.111108p-7f), z, -0x1.555556p-3f);
    return fmaf(r * z, p, r);
}
COALESCED_FUNCTION float coalesced_cosine(float r) {
    const float z = r * r;
    const float p = fmaf(fmaf(0x1.99e356p-16f, z, -0x1.6c0c22p-10f), z, 0x1.55554ap-5f);
    return fmaf(fmaf(p, z, -0.5f), z, 1.0f);
}

// The bits of 2/pi behind the point, after 32 zeros.
static __constant__ const unsigned int coalesced_two_over_pi[8] = {
    0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

// The remainder of a large x after division by pi/2 (M. Payne and R. Hanek, 1983): x is m 2^e with a whole m of 24 bits, and
// only those bits of 2/pi matter whose product with m is below 4.
COALESCED_FUNCTION float coalesced_far_remainder(float x, int* quarter) {
    const int bits = __float_as_int(x);
    const unsigned int m = (bits & 0x7fffff) | 0x800000;
    const int e = ((bits >> 23) & 0xff) - 150;
    const int word = (e + 30) >> 5, shift = (e + 30) & 31;
    unsigned int w[3];
    for (int i = 0; i < 3; ++i) {
        w[i] = __funnelshift_l(coalesced_two_over_pi[word + i + 1], coalesced_two_over_pi[word + i], shift);
    }
    const unsigned long long high = (unsigned long long)w[0] << 32 | w[1];
    // Quarters in the two upper bits, and the fraction of one below.
    const unsigned long long product = m * high + ((unsigned long long)m * w[2] >> 32);
    const unsigned long long nearest = (product + (1ull << 61)) >> 62;
    const long long fraction = (long long)(product - (nearest << 62));
    const float first = (float)fraction;
    const float rest = (float)(fraction - (long long)first);
    const float r = fmaf(first, 0x1.921fb6p-62f, fmaf(rest, 0x1.921fb6p-62f, first * -0x1.777a5cp-87f));
    *quarter = bits < 0 ? -(int)nearest : (int)nearest;
    return bits < 0 ? -r : r;
}
// x minus the nearest multiple of pi/2, and which multiple, modulo 4.
COALESCED_FUNCTION float coalesced_remainder(float x, int* quarter) {
    if (__builtin_fabsf(x) >= 0x1p15f) {
        if (!__builtin_isfinite(x)) {
            *quarter = 0;
            return __builtin_nanf("");
        }
        return coalesced_far_remainder(x, quarter);
    }
    const float n = __builtin_rintf(x * 0x1.45f306p-1f);
    *quarter = (int)n;
    return fmaf(n, 0x1.ee59dap-50f, fmaf(n, 0x1.777a5cp-25f, fmaf(n, -0x1.921fb6p+0f, x)));
}
COALESCED_FUNCTION float coalesced_sine_of(float r, int quarter) {
    const float value = quarter & 1 ? coalesced_cosine(r) : coalesced_sine(r);
    return quarter & 2 ? -value : value;
}

// 2
COALESCED_FUNCTION float sinf(float x) {
    int quarter;
    const float r = coalesced_remainder(x, &quarter);
    return coalesced_sine_of(r, quarter);
}
// 2
COALESCED_FUNCTION float cosf(float x) {
    int quarter;
    const float r = coalesced_remainder(x, &quarter);
    return coalesced_sine_of(r, quarter + 1);
}
// 2
COALESCED_FUNCTION void sincosf(float x, float* sine, float* cosine) {
    int quarter;
    const float r = coalesced_remainder(x, &quarter);
    *sine = coalesced_sine_of(r, quarter);
    *cosine = coalesced_sine_of(r, quarter + 1);
}
// 4
COALESCED_FUNCTION float tanf(float x) {
    int quarter;
    const float r = coalesced_remainder(x, &quarter);
    const float sine = coalesced_sine(r), cosine = coalesced_cosine(r);
    return quarter & 1 ? -cosine / sine : sine / cosine;
}

// sin(pi x) and cos(pi x) for x = t + quarter / 2, where t is exact.
COALESCED_FUNCTION float coalesced_sine_of_pi(float t, int quarter) {
    const float high = __nvvm_mul_rn_f(t, 0x1.921fb6p+1f);
    const float low = fmaf(t, -0x1.777a5cp-24f, fmaf(t, 0x1.921fb6p+1f, -high));
    const float value = quarter & 1 ? fmaf(-high, low, coalesced_cosine(high)) : coalesced_sine(high) + low;
    return quarter & 2 ? -value : value;
}
COALESCED_FUNCTION float coalesced_half_turns(float x, int* quarter) {
    // Without whole turns; this is exact, and 0 for what has no fraction.
    const float turn = fmaf(-2.0f, __builtin_rintf(0.5f * x), x);
    const float n = __builtin_rintf(2.0f * turn);
    *quarter = (int)n;
    return fmaf(n, -0.5f, turn);
}
// 1
COALESCED_FUNCTION float sinpif(float x) {
    int quarter;
    const float t = coalesced_half_turns(x, &quarter);
    const float value = coalesced_sine_of_pi(t, quarter);
    return value == 0.0f ? __builtin_copysignf(value, x) : value;
}
// 1
COALESCED_FUNCTION float cospif(float x) {
    int quarter;
    const float t = coalesced_half_turns(x, &quarter);
    return coalesced_sine_of_pi(t, quarter + 1);
}

// The arc tangent of a number in [0, 1].
COALESCED_FUNCTION float coalesced_arc(float a) {
    const float z = a * a;
    float p = -0x1.df03ccp-10f;
    p = fmaf(p, z, 0x1.6a9232p-7f);
    p = fmaf(p, z, -0x1.01b0a8p-5f);
    p = fmaf(p, z, 0x1.dd0fdep-5f);
    p = fmaf(p, z, -0x1.58dcbcp-4f);
    p = fmaf(p, z, 0x1.c0d29cp-4f);
    p = fmaf(p, z, -0x1.2426fap-3f);
    p = fmaf(p, z, 0x1.999276p-3f);
    p = fmaf(p, z, -0x1.555540p-2f);
    return fmaf(p * z, a, a);
}
// The angle minus another, whose float and the rest of it are given.
COALESCED_FUNCTION float coalesced_from(float high, float low, float angle) { return high - (angle - low); }
#define COALESCED_QUARTER 0x1.921fb6p+0f, -0x1.777a5cp-25f
#define COALESCED_HALF 0x1.921fb6p+1f, -0x1.777a5cp-24f

// 2
COALESCED_FUNCTION float atanf(float x) {
    const float a = __builtin_fabsf(x);
    const float arc = coalesced_arc(a > 1.0f ? 1.0f / a : a);
    return __builtin_copysignf(a > 1.0f ? coalesced_from(COALESCED_QUARTER, arc) : arc, x);
}
// 3
COALESCED_FUNCTION float atan2f(float y, float x) {
    if (__builtin_isnan(x) || __builtin_isnan(y)) return __builtin_nanf("");
    const float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    float small = fminf(a, b), large = fmaxf(a, b);
    if (large == __builtin_inff()) {
        small = small == large ? 1.0f : 0.0f;
        large = 1.0f;
    }
    float arc = coalesced_arc(large == 0.0f ? 0.0f : small / large);
    if (b > a) arc = coalesced_from(COALESCED_QUARTER, arc);
    if (__builtin_signbit(x)) arc = coalesced_from(COALESCED_HALF, arc);
    return __builtin_copysignf(arc, y);
}
// The arc sine of a number in [0, 0.5].
COALESCED_FUNCTION float coalesced_arc_sine(float a) {
    const float z = a * a;
    float p = 0x1.366514p-5f;
    p = fmaf(p, z, 0x1.d0ae32p-7f);
    p = fmaf(p, z, 0x1.051b90p-5f);
    p = fmaf(p, z, 0x1.6c9ef0p-5f);
    p = fmaf(p, z, 0x1.3338e2p-4f);
    p = fmaf(p, z, 0x1.55554cp-3f);
    return fmaf(p * z, a, a);
}
// 2
COALESCED_FUNCTION float asinf(float x) {
    const float a = __builtin_fabsf(x);
    const float arc = coalesced_arc_sine(a > 0.5f ? __builtin_sqrtf(fmaf(-0.5f, a, 0.5f)) : a);
    return __builtin_copysignf(a > 0.5f ? coalesced_from(COALESCED_QUARTER, 2.0f * arc) : arc, x);
}
// 2
COALESCED_FUNCTION float acosf(float x) {
    const float a = __builtin_fabsf(x);
    const float arc = coalesced_arc_sine(a > 0.5f ? __builtin_sqrtf(fmaf(-0.5f, a, 0.5f)) : a);
    if (a > 0.5f) return x > 0.0f ? 2.0f * arc : coalesced_from(COALESCED_HALF, 2.0f * arc);
    return coalesced_from(COALESCED_QUARTER, __builtin_copysignf(arc, x));
}

// 3
COALESCED_FUNCTION float sinhf(float x) {
    const float a = __builtin_fabsf(x);
    if (a < 1.0f) {
        const float z = x * x;
        const float p = fmaf(fmaf(fmaf(0x1.7a3bf6p-19f, z, 0x1.9ffd80p-13f), z, 0x1.111138p-7f), z, 0x1.555556p-3f);
        return fmaf(x * z, p, x);
    }
    if (a > 90.0f) return __builtin_copysignf(__builtin_inff(), x);
    int n;
    const float power = 1.0f + coalesced_exp_parts(a, &n);
    return __builtin_copysignf(coalesced_scaled(power, n - 1) - coalesced_scaled(1.0f / power, -n - 1), x);
}
// 2
COALESCED_FUNCTION float coshf(float x) {
    const float a = __builtin_fabsf(x);
    if (a > 90.0f) return __builtin_inff();
    int n;
    const float power = 1.0f + coalesced_exp_parts(a, &n);
    return coalesced_scaled(power, n - 1) + coalesced_scaled(1.0f / power, -n - 1);
}
// 2
COALESCED_FUNCTION float tanhf(float x) {
    const float a = __builtin_fabsf(x);
    if (a < 0.55f) {
        const float z = x * x;
        const float p = fmaf(
            fmaf(fmaf(fmaf(-0x1.9a61e0p-8f, z, 0x1.591d48p-6f), z, -0x1.b92538p-5f), z, 0x1.110d16p-3f), z, -0x1.55554ap-2f);
        return fmaf(x * z, p, x);
    }
    return __builtin_copysignf(1.0f - 2.0f / (expf(2.0f * a) + 1.0f), x);
}
// 3
COALESCED_FUNCTION float asinhf(float x) {
    const float a = __builtin_fabsf(x);
    if (a > 0x1p24f) return __builtin_copysignf(logf(a) + 0x1.62e430p-1f, x);
    const float square = a * a;
    return __builtin_copysignf(log1pf(a + square / (1.0f + __builtin_sqrtf(1.0f + square))), x);
}
// 4
COALESCED_FUNCTION float acoshf(float x) {
    if (x < 1.0f) return __builtin_nanf("");
    if (x > 0x1p24f) return logf(x) + 0x1.62e430p-1f;
    const float t = x - 1.0f;
    return log1pf(t + __builtin_sqrtf(fmaf(t, t, 2.0f * t)));
}
// 3
COALESCED_FUNCTION float atanhf(float x) {
    const float a = __builtin_fabsf(x);
    return __builtin_copysignf(0.5f * log1pf(2.0f * a / (1.0f - a)), x);
}
#undef COALESCED_QUARTER
#undef COALESCED_HALF

COALESCED_OVERLOAD(sin)
COALESCED_OVERLOAD(cos)
COALESCED_OVERLOAD(tan)
COALESCED_OVERLOAD(sinpi)
COALESCED_OVERLOAD(cospi)
COALESCED_OVERLOAD(asin)
COALESCED_OVERLOAD(acos)
COALESCED_OVERLOAD(atan)
COALESCED_OVERLOAD(sinh)
COALESCED_OVERLOAD(cosh)
COALESCED_OVERLOAD(tanh)
COALESCED_OVERLOAD(asinh)
COALESCED_OVERLOAD(acosh)
COALESCED_OVERLOAD(atanh)
COALESCED_FUNCTION float atan2(float y, float x) { return atan2f(y, x); }
