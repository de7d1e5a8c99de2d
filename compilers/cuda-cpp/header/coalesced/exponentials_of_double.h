// Exponential functions, logarithms and powers of double, to the accuracy of CUDA's Math API: the comment before a function is its
// largest error in units in the last place, which the tests measure. See exponentials.h for the methods.
#pragma once

// exp(r) for |r| <= 0.35, without the 1.
COALESCED_FUNCTION double coalesced_exp_less_1(double r) {
    double q = 0x1.61c5e94230f13p-33;
    q = fma(q, r, 0x1.1f8502faecc8fp-29);
    q = fma(q, r, 0x1.ae64291102b99p-26);
    q = fma(q, r, 0x1.27e4d0de7522ep-22);
    q = fma(q, r, 0x1.71de3a5b4fde6p-19);
    q = fma(q, r, 0x1.a01a01ab24e51p-16);
    q = fma(q, r, 0x1.a01a01a019510p-13);
    q = fma(q, r, 0x1.6c16c16c15763p-10);
    q = fma(q, r, 0x1.1111111111112p-7);
    q = fma(q, r, 0x1.5555555555557p-5);
    q = fma(q, r, 0x1.5555555555555p-3);
    q = fma(q, r, 0.5);
    return fma(r * r, q, r);
}
// 2^n for n in [-1022, 1023].
COALESCED_FUNCTION double coalesced_power_of_2_of_double(int n) { return __longlong_as_double((long long)(n + 1023) << 52); }
// a 2^n for n in [-2044, 2046], rounded once if a is in [0.5, 2].
COALESCED_FUNCTION double coalesced_scaled(double a, int n) {
    const int first = n / 2;
    return a * coalesced_power_of_2_of_double(first) * coalesced_power_of_2_of_double(n - first);
}
// exp(x) = (1 + the result) 2^n, for |x.high| < 800.
COALESCED_FUNCTION double coalesced_exp_parts(coalesced_pair x, int* n) {
    const double whole = __builtin_rint(x.high * 0x1.71547652b82fep+0);
    *n = (int)whole;
    // The first part of log(2) has 42 bits, so that the product is exact.
    const double r = fma(whole, -0x1.62e42fefa3800p-1, x.high);
    return coalesced_exp_less_1(r + fma(whole, -0x1.ef35793c76730p-45, x.low));
}
// exp(x) of the sum x, or infinity or 0 out of the range of double.
COALESCED_FUNCTION double coalesced_exp(coalesced_pair x) {
    if (x.high > 710.0) return __builtin_inf();
    if (x.high < -746.0) return 0.0;
    int n;
    const double part = coalesced_exp_parts(x, &n);
    return coalesced_scaled(1.0 + part, n);
}

// 1
COALESCED_FUNCTION double exp(double x) { return x != x ? x : coalesced_exp({x, 0.0}); }
// 1
COALESCED_FUNCTION double exp2(double x) {
    if (x != x) return x;
    if (x >= 1024.0) return __builtin_inf();
    if (x < -1076.0) return 0.0;
    const double whole = __builtin_rint(x);
    return coalesced_scaled(1.0 + coalesced_exp_less_1((x - whole) * 0x1.62e42fefa39efp-1), (int)whole);
}
// 1
COALESCED_FUNCTION double exp10(double x) {
    if (x != x) return x;
    if (x > 310.0) return __builtin_inf();
    if (x < -325.0) return 0.0;
    return coalesced_exp(coalesced_product({x, 0.0}, {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53}));
}
// 1
COALESCED_FUNCTION double expm1(double x) {
    if (x != x || x == 0.0) return x;
    if (x > 710.0) return __builtin_inf();
    if (x < -40.0) return -1.0;
    int n;
    const double part = coalesced_exp_parts({x, 0.0}, &n);
    if (n == 0) return part;
    if (n >= 1023) return coalesced_scaled(1.0 + part, n);
    const double power = coalesced_power_of_2_of_double(n);
    return fma(power, part, power - 1.0);
}

// log(x) of a positive and finite x, exact to 2^-66.
COALESCED_FUNCTION coalesced_pair coalesced_log(double x) {
    const bool is_small = x < 0x1p-1022;
    const long long bits = __double_as_longlong(is_small ? x * 0x1p54 : x);
    const long long exponent = (bits - 0x3fe6a09e667f3bcd) & ~0xfffffffffffffll;
    const double n = (double)(exponent >> 52) - (is_small ? 54.0 : 0.0);
    const double f = __longlong_as_double(bits - exponent) - 1.0;
    // log(1 + f) = 2 atanh(s) with s = f / (2 + f), and atanh(s) = s (1 + z / 3 + z^2 / 5 + z^3 q(z)) with z = s^2.
    const coalesced_pair s = coalesced_quotient(f, coalesced_short_sum(2.0, f));
    const coalesced_pair z = coalesced_product(s, s);
    double q = 0x1.935e30ec44599p-5;
    q = fma(q, z.high, 0x1.8366ae1372f54p-5);
    q = fma(q, z.high, 0x1.af3d6570efc52p-5);
    q = fma(q, z.high, 0x1.e1e1832c5baacp-5);
    q = fma(q, z.high, 0x1.1111118e5a3c5p-4);
    q = fma(q, z.high, 0x1.3b13b13a59c6cp-4);
    q = fma(q, z.high, 0x1.745d1745d1fe7p-4);
    q = fma(q, z.high, 0x1.c71c71c71c71ap-4);
    q = fma(q, z.high, 0x1.2492492492492p-3);
    coalesced_pair p = coalesced_sum(coalesced_product({q, 0.0}, z), {0x1.999999999999ap-3, -0x1.999999999999ap-57});
    p = coalesced_sum(coalesced_product(p, z), {0x1.5555555555555p-2, 0x1.5555555555555p-56});
    p = coalesced_sum({1.0, 0.0}, coalesced_product(p, z));
    p = coalesced_product({2.0 * s.high, 2.0 * s.low}, p);
    const coalesced_pair of_power = coalesced_product({n, 0.0}, {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56});
    return coalesced_sum(of_power, p);
}
// Whether a logarithm of x is NaN or infinite, and which.
COALESCED_FUNCTION bool coalesced_log_is_special(double x, double* special) {
    *special = x == 0.0 ? -__builtin_inf() : x < 0.0 ? __builtin_nan("") : x;
    return !(x > 0.0 && x < __builtin_inf());
}
// log(x) / log(base) of the base whose inverse logarithm is given.
COALESCED_FUNCTION double coalesced_log_to(double x, coalesced_pair inverse) {
    double special;
    if (coalesced_log_is_special(x, &special)) return special;
    return coalesced_product(coalesced_log(x), inverse).high;
}

// 1
COALESCED_FUNCTION double log(double x) {
    double special;
    return coalesced_log_is_special(x, &special) ? special : coalesced_log(x).high;
}
// 1
COALESCED_FUNCTION double log2(double x) { return coalesced_log_to(x, {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}); }
// 1
COALESCED_FUNCTION double log10(double x) { return coalesced_log_to(x, {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}); }
// 1
COALESCED_FUNCTION double log1p(double x) {
    const coalesced_pair sum = coalesced_sum(1.0, x);
    double special;
    if (x == 0.0 || coalesced_log_is_special(sum.high, &special)) return x == 0.0 ? x : special;
    // log(a + b) is log(a) + b / a for a small b.
    return coalesced_sum(coalesced_log(sum.high), {sum.low / sum.high, 0.0}).high;
}
// 2
COALESCED_FUNCTION double pow(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (__builtin_isnan(x) || __builtin_isnan(y)) return __builtin_nan("");
    const double a = __builtin_fabs(x);
    if (__builtin_isinf(y)) return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? __builtin_inf() : 0.0;
    // Whole numbers from 2^53 on are even.
    const bool is_whole = __builtin_trunc(y) == y;
    const bool is_odd = is_whole && __builtin_fabs(y) < 0x1p53 && ((long long)y & 1);
    double power;
    if (a == 0.0 || __builtin_isinf(a)) {
        power = (a == 0.0) == (y < 0.0) ? __builtin_inf() : 0.0;
    } else if (x < 0.0 && !is_whole) {
        return __builtin_nan("");
    } else {
        const coalesced_pair log = coalesced_log(a);
        // Products out of range have no second part.
        const double about = y * log.high;
        power = about > 710.0    ? __builtin_inf()
                : about < -746.0 ? 0.0
                                 : coalesced_exp(coalesced_product({y, 0.0}, log));
    }
    return is_odd ? __builtin_copysign(power, x) : power;
}
COALESCED_FUNCTION double pow(double x, int y) { return pow(x, (double)y); }
COALESCED_FUNCTION double pow(float x, double y) { return pow((double)x, y); }
COALESCED_FUNCTION double pow(double x, float y) { return pow(x, (double)y); }
