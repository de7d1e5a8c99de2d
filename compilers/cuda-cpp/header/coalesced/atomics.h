// Atomic operations. The suffix _block or _system changes the threads that an operation is atomic for; without one, they are
// those of the device. Each returns the old value, and orders no other access.
#pragma once

#define COALESCED_SCOPES(declare)                                                                                      \
    declare(, __MEMORY_SCOPE_DEVICE) declare(_block, __MEMORY_SCOPE_WRKGRP) declare(_system, __MEMORY_SCOPE_SYSTEM)

#define COALESCED_ATOMIC(name, type, operation, suffix, scope)                                                         \
    COALESCED_FUNCTION type name##suffix(type* address, type value) {                                                  \
        return __scoped_atomic_##operation(address, value, __ATOMIC_RELAXED, scope);                                   \
    }
#define COALESCED_ATOMICS(suffix, scope)                                                                               \
    COALESCED_ATOMIC(atomicAdd, int, fetch_add, suffix, scope)                                                         \
    COALESCED_ATOMIC(atomicAdd, unsigned int, fetch_add, suffix, scope)                                                \
    COALESCED_ATOMIC(atomicAdd, unsigned long long, fetch_add, suffix, scope)                                          \
    COALESCED_ATOMIC(atomicAdd, float, fetch_add, suffix, scope)                                                       \
    COALESCED_ATOMIC(atomicAdd, double, fetch_add, suffix, scope)                                                      \
    COALESCED_ATOMIC(atomicSub, int, fetch_sub, suffix, scope)                                                         \
    COALESCED_ATOMIC(atomicSub, unsigned int, fetch_sub, suffix, scope)                                                \
    COALESCED_ATOMIC(atomicMin, int, fetch_min, suffix, scope)                                                         \
    COALESCED_ATOMIC(atomicMin, unsigned int, fetch_min, suffix, scope)                                                \
    COALESCED_ATOMIC(atomicMin, long long, fetch_min, suffix, scope)                                                   \
    COALESCED_ATOMIC(atomicMin, unsigned long long, fetch_min, suffix, scope)                                          \
    COALESCED_ATOMIC(atomicMax, int, fetch_max, suffix, scope)                                                         \
    COALESCED_ATOMIC(atomicMax, unsigned int, fetch_max, suffix, scope)                                                \
    COALESCED_ATOMIC(atomicMax, long long, fetch_max, suffix, scope)                                                   \
    COALESCED_ATOMIC(atomicMax, unsigned long long, fetch_max, suffix, scope)                                          \
    COALESCED_ATOMIC(atomicAnd, int, fetch_and, suffix, scope)                                                         \
    COALESCED_ATOMIC(atomicAnd, unsigned int, fetch_and, suffix, scope)                                                \
    COALESCED_ATOMIC(atomicAnd, unsigned long long, fetch_and, suffix, scope)                                          \
    COALESCED_ATOMIC(atomicOr, int, fetch_or, suffix, scope)                                                           \
    COALESCED_ATOMIC(atomicOr, unsigned int, fetch_or, suffix, scope)                                                  \
    COALESCED_ATOMIC(atomicOr, unsigned long long, fetch_or, suffix, scope)                                            \
    COALESCED_ATOMIC(atomicXor, int, fetch_xor, suffix, scope)                                                         \
    COALESCED_ATOMIC(atomicXor, unsigned int, fetch_xor, suffix, scope)                                                \
    COALESCED_ATOMIC(atomicXor, unsigned long long, fetch_xor, suffix, scope)                                          \
    COALESCED_ATOMIC(atomicExch, int, exchange_n, suffix, scope)                                                       \
    COALESCED_ATOMIC(atomicExch, unsigned int, exchange_n, suffix, scope)                                              \
    COALESCED_ATOMIC(atomicExch, unsigned long long, exchange_n, suffix, scope)
COALESCED_SCOPES(COALESCED_ATOMICS)
#undef COALESCED_ATOMICS
#undef COALESCED_ATOMIC

#define COALESCED_EXCHANGE(suffix, scope)                                                                              \
    COALESCED_FUNCTION float atomicExch##suffix(float* address, float value) {                                         \
        return __builtin_bit_cast(                                                                                     \
            float, atomicExch##suffix((unsigned int*)address, __builtin_bit_cast(unsigned int, value)));               \
    }
COALESCED_SCOPES(COALESCED_EXCHANGE)
#undef COALESCED_EXCHANGE

// Stores `value` if the old value is `expected`.
#define COALESCED_COMPARE(type, suffix, scope)                                                                         \
    COALESCED_FUNCTION type atomicCAS##suffix(type* address, type expected, type value) {                              \
        __scoped_atomic_compare_exchange_n(                                                                            \
            address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope);                              \
        return expected;                                                                                               \
    }
#define COALESCED_COMPARES(suffix, scope)                                                                              \
    COALESCED_COMPARE(int, suffix, scope)                                                                              \
    COALESCED_COMPARE(unsigned int, suffix, scope)                                                                     \
    COALESCED_COMPARE(unsigned long long, suffix, scope)                                                               \
    COALESCED_COMPARE(unsigned short, suffix, scope)
COALESCED_SCOPES(COALESCED_COMPARES)
#undef COALESCED_COMPARES
#undef COALESCED_COMPARE
#undef COALESCED_SCOPES

// Counts up to `last` and then from 0, or down to 0 and then from `last`.
COALESCED_FUNCTION unsigned int atomicInc(unsigned int* address, unsigned int last) {
    return __nvvm_atom_inc_gen_ui(address, last);
}
COALESCED_FUNCTION unsigned int atomicDec(unsigned int* address, unsigned int last) {
    return __nvvm_atom_dec_gen_ui(address, last);
}
