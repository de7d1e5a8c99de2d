// The error and gamma functions of float, to the accuracy of CUDA's Math API: the comment before a function is its largest error in
// units in the last place, which the tests measure. They compute with double, whose rounding errors a float does not show.
#pragma once

// exp(x^2) erfc(x) for x in [1, 10.2].
COALESCED_FUNCTION double coalesced_scaled_complement(double x) {
    const double t = 4.0 / (4.0 + x);
    double p = -0x1.8ef5c7437ea16p-3;
    p = fma(p, t, 0x1.0a44da6d58510p+0);
    p = fma(p, t, -0x1.0dd7c1a365189p+1);
    p = fma(p, t, 0x1.6be41c928b943p+1);
    p = fma(p, t, -0x1.2b4ea85be8f49p+1);
    p = fma(p, t, 0x1.9565a42b88641p+0);
    p = fma(p, t, -0x1.139ba5dc99023p-1);
    p = fma(p, t, 0x1.5574d7d8935a7p-2);
    p = fma(p, t, 0x1.764885c7db9f4p-4);
    p = fma(p, t, 0x1.2e6e06a8b880cp-3);
    p = fma(p, t, 0x1.1faddaf5ce015p-3);
    return fma(p, t, 0x1.7fffaff02830ap-16);
}
// erf(x) for |x| < 1.
COALESCED_FUNCTION double coalesced_small_error(double x) {
    const double z = x * x;
    double p = -0x1.445f47d33d87bp-17;
    p = fma(p, z, 0x1.d887505de3ba6p-14);
    p = fma(p, z, -0x1.bccf664d7f763p-11);
    p = fma(p, z, 0x1.562a60ddba6e6p-8);
    p = fma(p, z, -0x1.b829c897922e5p-6);
    p = fma(p, z, 0x1.ce2f08fec14fdp-4);
    p = fma(p, z, -0x1.81274665754c3p-2);
    return x * fma(p, z, 0x1.20dd7504045d6p+0);
}
// 2
COALESCED_FUNCTION float erff(float x) {
    const double a = __builtin_fabs((double)x);
    if (a < 1.0) return (float)coalesced_small_error(x);
    if (a > 4.0) return __builtin_copysignf(1.0f, x);
    return x != x ? x : (float)__builtin_copysign(1.0 - exp(-a * a) * coalesced_scaled_complement(a), (double)x);
}
// 4
COALESCED_FUNCTION float erfcf(float x) {
    if (x != x) return x;
    const double a = __builtin_fabs((double)x);
    if (a < 1.0) return (float)(1.0 - coalesced_small_error(x));
    const double complement = a > 10.2 ? 0.0 : exp(-a * a) * coalesced_scaled_complement(a);
    return (float)(x < 0.0f ? 2.0 - complement : complement);
}

// The sum of C. Lanczos' approximation of the gamma function (1964) for g = 7, with P. Godfrey's nine coefficients.
COALESCED_FUNCTION double coalesced_lanczos(double x) {
    double sum = 0.99999999999980993;
    sum += 676.5203681218851 / x;
    sum += -1259.1392167224028 / (x + 1.0);
    sum += 771.32342877765313 / (x + 2.0);
    sum += -176.61502916214059 / (x + 3.0);
    sum += 12.507343278686905 / (x + 4.0);
    sum += -0.13857109526572012 / (x + 5.0);
    sum += 9.9843695780195716e-6 / (x + 6.0);
    sum += 1.5056327351493116e-7 / (x + 7.0);
    return sum;
}
// log(gamma(x)) for x >= 0.5.
COALESCED_FUNCTION double coalesced_log_of_gamma(double x) {
    const double t = x + 6.5;
    return 0.91893853320467274 + log(coalesced_lanczos(x)) + ((x - 0.5) * log(t) - t);
}
// 6
COALESCED_FUNCTION float lgammaf(float x) {
    if (!__builtin_isfinite(x)) return x * x;
    if (x >= 0.5f) return (float)coalesced_log_of_gamma(x);
    if (x == __builtin_floorf(x)) return __builtin_inff();
    // Gamma(x) Gamma(1 - x) = pi / sin(pi x)
    const double sine = __builtin_fabs(sinpi((double)x));
    return (float)(1.1447298858494002 - log(sine) - coalesced_log_of_gamma(1.0 - x));
}
// 5
COALESCED_FUNCTION float tgammaf(float x) {
    if (x == 0.0f) return __builtin_copysignf(__builtin_inff(), x);
    if (x != x || (x < 0.0f && x == __builtin_floorf(x))) return __builtin_nanf("");
    if (x > 36.0f) return __builtin_inff();
    if (x >= 0.5f) return (float)exp(coalesced_log_of_gamma(x));
    if (x < -46.0f) return sinpi((double)x) < 0.0 ? -0.0f : 0.0f;
    return (float)(0x1.921fb54442d18p+1 / (sinpi((double)x) * exp(coalesced_log_of_gamma(1.0 - x))));
}

COALESCED_OVERLOAD(erf)
COALESCED_OVERLOAD(erfc)
COALESCED_OVERLOAD(lgamma)
COALESCED_OVERLOAD(tgamma)
