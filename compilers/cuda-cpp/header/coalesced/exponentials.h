// Exponential functions and logarithms of float, to the accuracy of CUDA's Math API: the comment before a function is its
// largest error in units in the last place, which the tests measure.
//
// The methods are the usual ones (J.-M. Muller, Elementary Functions): the argument is reduced to a short interval with a
// constant in two parts, where a minimax polynomial by Remez' algorithm is exact to 2^-28 and better. No function uses double.
#pragma once

// exp(r) for |r| <= 0.36, without the 1: r + r^2 q(r).
COALESCED_FUNCTION float coalesced_exp_less_1(float r) {
    const float q = fmaf(
        fmaf(fmaf(fmaf(fmaf(0x1.a1b0bep-13f, r, 0x1.6d829ap-10f), r, 0x1.111086p-7f), r, 0x1.5554a0p-5f), r, 0x1.555556p-3f),
        r, 0.5f);
    return fmaf(r * r, q, r);
}
// 2^n for n in [-126, 127].
COALESCED_FUNCTION float coalesced_power_of_2(int n) { return __int_as_float((n + 127) << 23); }
// a 2^n for n in [-252, 254], rounded once if a is in [0.5, 2].
COALESCED_FUNCTION float coalesced_scaled(float a, int n) {
    const int first = n / 2;
    return a * coalesced_power_of_2(first) * coalesced_power_of_2(n - first);
}
// exp(x) = (1 + the result) 2^n, for |x| < 120.
COALESCED_FUNCTION float coalesced_exp_parts(float x, int* n) {
    const float whole = __builtin_rintf(x * 0x1.715476p+0f);
    *n = (int)whole;
    return coalesced_exp_less_1(fmaf(whole, 0x1.05c610p-29f, fmaf(whole, -0x1.62e430p-1f, x)));
}

// 1
COALESCED_FUNCTION float expf(float x) {
    if (x > 0x1.62e430p+6f) return __builtin_inff();
    if (x < -0x1.9fe36ap+6f) return 0.0f;
    int n;
    const float part = coalesced_exp_parts(x, &n);
    return coalesced_scaled(1.0f + part, n);
}
// 2
COALESCED_FUNCTION float exp2f(float x) {
    if (x >= 128.0f) return __builtin_inff();
    if (x < -150.0f) return 0.0f;
    const float whole = __builtin_rintf(x);
    return coalesced_scaled(1.0f + coalesced_exp_less_1((x - whole) * 0x1.62e430p-1f), (int)whole);
}
// 2
COALESCED_FUNCTION float exp10f(float x) {
    if (x > 0x1.344136p+5f) return __builtin_inff();
    if (x < -0x1.6934acp+5f) return 0.0f;
    const float whole = __builtin_rintf(x * 0x1.a934f0p+1f);
    const float r = fmaf(whole, 0x1.ec10c0p-27f, fmaf(whole, -0x1.344136p-2f, x));
    return coalesced_scaled(1.0f + coalesced_exp_less_1(fmaf(r, 0x1.26bb1cp+1f, r * -0x1.12aabap-25f)), (int)whole);
}
// 1
COALESCED_FUNCTION float expm1f(float x) {
    if (x > 0x1.62e430p+6f) return __builtin_inff();
    if (x < -18.0f) return -1.0f;
    if (x == 0.0f) return x;
    int n;
    const float part = coalesced_exp_parts(x, &n);
    if (n == 0) return part;
    if (n >= 127) return coalesced_scaled(1.0f + part, n);
    // 2^n (1 + part) - 1, where 2^n - 1 rounds only if it is much larger than the 1.
    const float power = coalesced_power_of_2(n);
    return fmaf(power, part, power - 1.0f);
}

// x = (1 + the result) 2^n with the result in [-1/3, 1/3), for positive and finite x.
COALESCED_FUNCTION float coalesced_log_parts(float x, float* n) {
    const bool is_small = x < 0x1p-126f;
    const int bits = __float_as_int(is_small ? x * 0x1p24f : x);
    const int exponent = (bits - 0x3f2aaaab) & 0xff800000;
    *n = fmaf((float)exponent, 0x1p-23f, is_small ? -24.0f : 0.0f);
    return __int_as_float(bits - exponent) - 1.0f;
}
// log(1 + f) - f, for f in [-1/3, 1/3].
COALESCED_FUNCTION float coalesced_log_rest(float f) {
    float q = 0x1.0131f2p-3f;
    q = fmaf(q, f, -0x1.0c310ep-3f);
    q = fmaf(q, f, 0x1.b24290p-4f);
    q = fmaf(q, f, -0x1.f0ebd2p-4f);
    q = fmaf(q, f, 0x1.25411ep-3f);
    q = fmaf(q, f, -0x1.55b650p-3f);
    q = fmaf(q, f, 0x1.99948ep-3f);
    q = fmaf(q, f, -0x1.fffe10p-3f);
    q = fmaf(q, f, 0x1.55555cp-2f);
    q = fmaf(q, f, -0.5f);
    return q * (f * f);
}
// Whether a logarithm of x is NaN or infinite, and which.
COALESCED_FUNCTION bool coalesced_log_is_special(float x, float* special) {
    *special = x == 0.0f ? -__builtin_inff() : x < 0.0f ? __builtin_nanf("") : x;
    return !(x > 0.0f && x < __builtin_inff());
}
// (n + f l + rest) of which each part is smaller than the one before, for |n| >= 1 or n = 0.
COALESCED_FUNCTION float coalesced_log_sum(float n, float f, float l, float rest) {
    const float product = __nvvm_mul_rn_f(f, l);
    const float low = fmaf(f, l, -product);
    const float sum = __nvvm_add_rn_f(n, product);
    const float lost = __nvvm_add_rn_f(product, -__nvvm_add_rn_f(sum, -n));
    return sum + (lost + (low + rest));
}

// 1
COALESCED_FUNCTION float logf(float x) {
    float n, special;
    if (coalesced_log_is_special(x, &special)) return special;
    const float f = coalesced_log_parts(x, &n);
    const float high = __nvvm_mul_rn_f(n, 0x1.62e400p-1f);
    return coalesced_log_sum(high, f, 1.0f, fmaf(n, 0x1.7f7d1cp-20f, coalesced_log_rest(f)));
}
// 1
COALESCED_FUNCTION float log2f(float x) {
    float n, special;
    if (coalesced_log_is_special(x, &special)) return special;
    const float f = coalesced_log_parts(x, &n);
    const float rest = fmaf(coalesced_log_rest(f), 0x1.715476p+0f, f * 0x1.4ae0c0p-26f);
    return coalesced_log_sum(n, f, 0x1.715476p+0f, rest);
}
// 2
COALESCED_FUNCTION float log10f(float x) {
    float n, special;
    if (coalesced_log_is_special(x, &special)) return special;
    const float f = coalesced_log_parts(x, &n);
    const float rest = fmaf(coalesced_log_rest(f), 0x1.bcb7b2p-2f, f * -0x1.5b235ep-27f);
    const float high = __nvvm_mul_rn_f(n, 0x1.344000p-2f);
    return coalesced_log_sum(high, f, 0x1.bcb7b2p-2f, fmaf(n, 0x1.3509f8p-18f, rest));
}
// 1
COALESCED_FUNCTION float log1pf(float x) {
    const float sum = 1.0f + x;
    float n, special;
    if (coalesced_log_is_special(sum, &special)) return special;
    float f = coalesced_log_parts(sum, &n);
    // 1 + x = (1 + f) 2^n. Unless the 1 is lost in x, f follows from x itself, of which the sum has lost digits.
    const float scale = coalesced_power_of_2((int)fmaxf(-n, -30.0f));
    if (n < 30.0f) f = n == 0.0f ? x : fmaf(x, scale, scale - 1.0f);
    if (__builtin_fabsf(x) < 0x1p-24f) return x;
    const float high = __nvvm_mul_rn_f(n, 0x1.62e400p-1f);
    return coalesced_log_sum(high, f, 1.0f, fmaf(n, 0x1.7f7d1cp-20f, coalesced_log_rest(f)));
}

COALESCED_OVERLOAD(exp)
COALESCED_OVERLOAD(exp2)
COALESCED_OVERLOAD(exp10)
COALESCED_OVERLOAD(expm1)
COALESCED_OVERLOAD(log)
COALESCED_OVERLOAD(log2)
COALESCED_OVERLOAD(log10)
COALESCED_OVERLOAD(log1p)
