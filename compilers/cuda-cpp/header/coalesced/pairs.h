// Sums of two doubles, of which the second is at most half a unit in the last place of the first: numbers of about 106 bits, for
// functions whose arguments or results would lose digits otherwise (T. J. Dekker, 1971; J. R. Shewchuk, 1997).
#pragma once

struct coalesced_pair {
    double high, low;
};

// Roundings of their own, which the compiler fuses with nothing.
COALESCED_FUNCTION double coalesced_plus(double a, double b) { return __nvvm_add_rn_d(a, b); }
COALESCED_FUNCTION double coalesced_times(double a, double b) { return __nvvm_mul_rn_d(a, b); }

// a + b, for |a| >= |b| or a = 0.
COALESCED_FUNCTION coalesced_pair coalesced_short_sum(double a, double b) {
    const double sum = coalesced_plus(a, b);
    return {sum, coalesced_plus(b, -coalesced_plus(sum, -a))};
}
// a + b.
COALESCED_FUNCTION coalesced_pair coalesced_sum(double a, double b) {
    const double sum = coalesced_plus(a, b);
    const double of_b = coalesced_plus(sum, -a);
    return {sum, coalesced_plus(coalesced_plus(a, -coalesced_plus(sum, -of_b)), coalesced_plus(b, -of_b))};
}
COALESCED_FUNCTION coalesced_pair coalesced_sum(coalesced_pair a, coalesced_pair b) {
    const coalesced_pair sum = coalesced_sum(a.high, b.high);
    return coalesced_short_sum(sum.high, coalesced_plus(sum.low, coalesced_plus(a.low, b.low)));
}
// a b.
COALESCED_FUNCTION coalesced_pair coalesced_product(double a, double b) {
    const double product = coalesced_times(a, b);
    return {product, __builtin_fma(a, b, -product)};
}
COALESCED_FUNCTION coalesced_pair coalesced_product(coalesced_pair a, coalesced_pair b) {
    const coalesced_pair product = coalesced_product(a.high, b.high);
    return coalesced_short_sum(product.high, __builtin_fma(a.high, b.low, __builtin_fma(a.low, b.high, product.low)));
}
// a / b.
COALESCED_FUNCTION coalesced_pair coalesced_quotient(double a, coalesced_pair b) {
    const double quotient = a / b.high;
    const double left = __builtin_fma(-quotient, b.low, __builtin_fma(-quotient, b.high, a));
    return coalesced_short_sum(quotient, left / b.high);
}
