// Powers, roots, remainders and exponents of float, to the accuracy of CUDA's Math API: the comment before a function is its
// largest error in units in the last place, which the tests measure. See exponentials.h for the methods.
#pragma once

// log2(x) of a positive and finite x as a float and the rest of it, together exact to 2^-30.
COALESCED_FUNCTION float coalesced_log2_parts(float x, float* rest) {
    const bool is_small = x < 0x1p-126f;
    const int bits = __float_as_int(is_small ? x * 0x1p24f : x);
    const int exponent = (bits - 0x3f3504f3) & 0xff800000;
    const float n = fmaf((float)exponent, 0x1p-23f, is_small ? -24.0f : 0.0f);
    const float f = __int_as_float(bits - exponent) - 1.0f;
    // log(1 + f) = 2 atanh(s), with s = f / (2 + f) in two parts.
    const float d = 2.0f + f, d_rest = f - (d - 2.0f);
    const float s = f / d;
    const float s_rest = fmaf(-s, d_rest, fmaf(-s, d, f)) / d;
    const float z = s * s;
    const float p = fmaf(fmaf(fmaf(0x1.e38e3ap-4f, z, 0x1.24350cp-3f), z, 0x1.999a88p-3f), z, 0x1.555554p-2f);
    const float tail = fmaf(s * z, p, s_rest);
    // 2 / log(2) in two parts.
    const float high = __nvvm_mul_rn_f(s, 0x1.715476p+1f);
    const float low = fmaf(tail, 0x1.715476p+1f, fmaf(s, 0x1.4ae0c0p-25f, fmaf(s, 0x1.715476p+1f, -high)));
    const float sum = __nvvm_add_rn_f(n, high);
    const float lost = n == 0.0f ? 0.0f : __nvvm_add_rn_f(high, -__nvvm_add_rn_f(sum, -n));
    const float total = lost + low;
    const float first = __nvvm_add_rn_f(sum, total);
    *rest = __nvvm_add_rn_f(total, -__nvvm_add_rn_f(first, -sum));
    return first;
}
// a^y for positive and finite a, and finite y.
COALESCED_FUNCTION float coalesced_power(float a, float y) {
    float rest;
    const float log = coalesced_log2_parts(a, &rest);
    const float high = __nvvm_mul_rn_f(y, log);
    if (high > 130.0f) return __builtin_inff();
    if (high < -152.0f) return 0.0f;
    const float low = fmaf(y, rest, fmaf(y, log, -high));
    const float whole = __builtin_rintf(high);
    const float r = (high - whole) + low;
    return coalesced_scaled(1.0f + coalesced_exp_less_1(r * 0x1.62e430p-1f), (int)whole);
}
// 4
COALESCED_FUNCTION float powf(float x, float y) {
    if (y == 0.0f || x == 1.0f) return 1.0f;
    if (__builtin_isnan(x) || __builtin_isnan(y)) return __builtin_nanf("");
    const float a = __builtin_fabsf(x);
    // Whole numbers from 2^24 on are even.
    const bool is_whole = __builtin_truncf(y) == y;
    const bool is_odd = is_whole && __builtin_fabsf(y) < 0x1p24f && ((int)y & 1);
    float power;
    if (__builtin_isinf(y)) {
        power = a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? __builtin_inff() : 0.0f;
        return power;
    }
    if (a == 0.0f || __builtin_isinf(a)) {
        power = (a == 0.0f) == (y < 0.0f) ? __builtin_inff() : 0.0f;
    } else if (x < 0.0f && !is_whole) {
        return __builtin_nanf("");
    } else {
        power = coalesced_power(a, y);
    }
    return is_odd ? __builtin_copysignf(power, x) : power;
}

// 1
COALESCED_FUNCTION float cbrtf(float x) {
    const float a = __builtin_fabsf(x);
    if (!(a > 0.0f && a < __builtin_inff())) return x + x;
    // Cubes neither overflow nor lose digits.
    const bool is_small = a < 0x1p-100f, is_large = a > 0x1p100f;
    const float scaled = is_small ? a * 0x1p48f : is_large ? a * 0x1p-48f : a;
    // The hardware's estimate, and one step of Newton with the exact cube.
    const float t = __nvvm_ex2_approx_f(__nvvm_lg2_approx_f(scaled) * 0x1.555556p-2f);
    const float square = __nvvm_mul_rn_f(t, t), square_rest = fmaf(t, t, -square);
    const float cube = __nvvm_mul_rn_f(square, t), cube_rest = fmaf(square_rest, t, fmaf(square, t, -cube));
    const float root = t + ((scaled - cube) - cube_rest) / (3.0f * square);
    return __builtin_copysignf(is_small ? root * 0x1p-16f : is_large ? root * 0x1p16f : root, x);
}
// 1
COALESCED_FUNCTION float rcbrtf(float x) {
    const float root = cbrtf(x);
    const float inverse = 1.0f / root;
    if (!(__builtin_fabsf(inverse) > 0.0f && __builtin_fabsf(inverse) < __builtin_inff())) return inverse;
    // The root's own error: what is left of x is x - root^3.
    const float square = __nvvm_mul_rn_f(root, root), square_rest = fmaf(root, root, -square);
    const float left = fmaf(-square_rest, root, fmaf(-square, root, x));
    const float low = fmaf(-root, inverse, 1.0f) * inverse;
    return inverse + (low - left / (3.0f * square) * inverse * inverse);
}
// 3
COALESCED_FUNCTION float hypotf(float x, float y) {
    const float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    if (a == __builtin_inff() || b == __builtin_inff()) return __builtin_inff();
    const float large = fmaxf(a, b), small = fminf(a, b);
    // Squares neither overflow nor vanish next to the larger one.
    const float scale = large > 0x1p60f ? 0x1p-64f : large < 0x1p-60f ? 0x1p64f : 1.0f;
    const float p = large * scale, q = small * scale;
    return x != x || y != y ? __builtin_nanf("") : __builtin_sqrtf(fmaf(p, p, q * q)) / scale;
}

// Exact.
COALESCED_FUNCTION float fmodf(float x, float y) {
    const float d = __builtin_fabsf(y);
    const float a = __builtin_fabsf(x);
    if (!(a < __builtin_inff()) || !(d > 0.0f)) return __builtin_nanf("");
    if (a < d || d == __builtin_inff()) return x;
    unsigned int quotient;
    return __builtin_copysignf(coalesced_dividedf(a, d, &quotient), x);
}
// Exact.
COALESCED_FUNCTION float ldexpf(float x, int n) {
    n = min(max(n, -400), 400);
    // The second and third factors keep a number that becomes subnormal from being rounded twice.
    for (int i = 0; i < 3 && n < -126; ++i, n += 102) x *= 0x1p-102f;
    for (int i = 0; i < 3 && n > 127; ++i, n -= 127) x *= 0x1p127f;
    return x * coalesced_power_of_2(n);
}
COALESCED_FUNCTION float scalbnf(float x, int n) { return ldexpf(x, n); }
COALESCED_FUNCTION float scalblnf(float x, long n) { return ldexpf(x, (int)min(max(n, -400l), 400l)); }
COALESCED_FUNCTION int ilogbf(float x) {
    const float a = __builtin_fabsf(x);
    if (a == 0.0f || a != a) return -2147483647 - 1;
    if (a == __builtin_inff()) return 2147483647;
    const bool is_small = a < 0x1p-126f;
    return (__float_as_int(is_small ? a * 0x1p24f : a) >> 23) - (is_small ? 151 : 127);
}
COALESCED_FUNCTION float logbf(float x) {
    if (x == 0.0f) return -__builtin_inff();
    return __builtin_isfinite(x) ? (float)ilogbf(x) : x * x;
}
COALESCED_FUNCTION float frexpf(float x, int* exponent) {
    const bool is_special = x == 0.0f || !__builtin_isfinite(x);
    *exponent = is_special ? 0 : ilogbf(x) + 1;
    return is_special ? x + x : ldexpf(x, -*exponent);
}

COALESCED_FUNCTION float pow(float x, float y) { return powf(x, y); }
COALESCED_FUNCTION float pow(float x, int y) { return powf(x, (float)y); }
COALESCED_FUNCTION float hypot(float x, float y) { return hypotf(x, y); }
COALESCED_FUNCTION float fmod(float x, float y) { return fmodf(x, y); }
COALESCED_OVERLOAD(cbrt)
