// Atomic operations. The suffix _block or _system changes the threads that an operation is atomic for; without one, they are
// those of the device. Each returns the old value, and orders no other access.
#pragma once

#define COALESCED_ATOMIC(name, type, builtin, operation, letter)                                                       \
    COALESCED_FUNCTION type name(type* address, type value) {                                                          \
        return __scoped_atomic_##builtin(address, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);                     \
    }
// Clang's own functions have the scope of the device, whatever they are told.
#define COALESCED_SCOPED(name, type, operation, letter)                                                                \
    COALESCED_FUNCTION type name(type* address, type value) {                                                          \
        type old;                                                                                                      \
        asm volatile("atom." operation " %0, [%1], %2;" : "=" letter(old) : "l"(address), letter(value) : "memory");   \
        return old;                                                                                                    \
    }
#define COALESCED_BLOCK(name, type, builtin, operation, letter)                                                        \
    COALESCED_SCOPED(name##_block, type, "cta." operation, letter)
#define COALESCED_SYSTEM(name, type, builtin, operation, letter)                                                       \
    COALESCED_SCOPED(name##_system, type, "sys." operation, letter)

#define COALESCED_ATOMICS(declare)                                                                                     \
    declare(atomicAdd, int, fetch_add, "add.u32", "r")                                                                 \
    declare(atomicAdd, unsigned int, fetch_add, "add.u32", "r")                                                        \
    declare(atomicAdd, unsigned long long, fetch_add, "add.u64", "l")                                                  \
    declare(atomicAdd, float, fetch_add, "add.f32", "f")                                                               \
    declare(atomicAdd, double, fetch_add, "add.f64", "d")                                                              \
    declare(atomicMin, int, fetch_min, "min.s32", "r")                                                                 \
    declare(atomicMin, unsigned int, fetch_min, "min.u32", "r")                                                        \
    declare(atomicMin, long long, fetch_min, "min.s64", "l")                                                           \
    declare(atomicMin, unsigned long long, fetch_min, "min.u64", "l")                                                  \
    declare(atomicMax, int, fetch_max, "max.s32", "r")                                                                 \
    declare(atomicMax, unsigned int, fetch_max, "max.u32", "r")                                                        \
    declare(atomicMax, long long, fetch_max, "max.s64", "l")                                                           \
    declare(atomicMax, unsigned long long, fetch_max, "max.u64", "l")                                                  \
    declare(atomicAnd, int, fetch_and, "and.b32", "r")                                                                 \
    declare(atomicAnd, unsigned int, fetch_and, "and.b32", "r")                                                        \
    declare(atomicAnd, unsigned long long, fetch_and, "and.b64", "l")                                                  \
    declare(atomicOr, int, fetch_or, "or.b32", "r")                                                                    \
    declare(atomicOr, unsigned int, fetch_or, "or.b32", "r")                                                           \
    declare(atomicOr, unsigned long long, fetch_or, "or.b64", "l")                                                     \
    declare(atomicXor, int, fetch_xor, "xor.b32", "r")                                                                 \
    declare(atomicXor, unsigned int, fetch_xor, "xor.b32", "r")                                                        \
    declare(atomicXor, unsigned long long, fetch_xor, "xor.b64", "l")                                                  \
    declare(atomicExch, int, exchange_n, "exch.b32", "r")                                                              \
    declare(atomicExch, unsigned int, exchange_n, "exch.b32", "r")                                                     \
    declare(atomicExch, unsigned long long, exchange_n, "exch.b64", "l")
COALESCED_ATOMICS(COALESCED_ATOMIC)
COALESCED_ATOMICS(COALESCED_BLOCK)
COALESCED_ATOMICS(COALESCED_SYSTEM)
#undef COALESCED_ATOMICS
#undef COALESCED_ATOMIC
#undef COALESCED_BLOCK
#undef COALESCED_SYSTEM

// Counts up to `last` and then from 0, or down to 0 and then from `last`.
COALESCED_FUNCTION unsigned int atomicInc(unsigned int* address, unsigned int last) {
    return __nvvm_atom_inc_gen_ui(address, last);
}
COALESCED_FUNCTION unsigned int atomicDec(unsigned int* address, unsigned int last) {
    return __nvvm_atom_dec_gen_ui(address, last);
}
COALESCED_SCOPED(atomicInc_block, unsigned int, "cta.inc.u32", "r")
COALESCED_SCOPED(atomicInc_system, unsigned int, "sys.inc.u32", "r")
COALESCED_SCOPED(atomicDec_block, unsigned int, "cta.dec.u32", "r")
COALESCED_SCOPED(atomicDec_system, unsigned int, "sys.dec.u32", "r")
#undef COALESCED_SCOPED

// Stores `value` if the old value is `expected`.
#define COALESCED_COMPARE(type, bits, letter, suffix, scope)                                                           \
    COALESCED_FUNCTION type atomicCAS##suffix(type* address, type expected, type value) {                              \
        type old;                                                                                                      \
        asm volatile("atom." scope "cas." bits " %0, [%1], %2, %3;"                                                    \
                     : "=" letter(old)                                                                                 \
                     : "l"(address), letter(expected), letter(value)                                                   \
                     : "memory");                                                                                      \
        return old;                                                                                                    \
    }
#define COALESCED_OF_SCOPE(suffix, scope)                                                                              \
    COALESCED_FUNCTION int atomicSub##suffix(int* address, int value) { return atomicAdd##suffix(address, -value); }   \
    COALESCED_FUNCTION unsigned int atomicSub##suffix(unsigned int* address, unsigned int value) {                     \
        return atomicAdd##suffix(address, -value);                                                                     \
    }                                                                                                                  \
    COALESCED_FUNCTION float atomicExch##suffix(float* address, float value) {                                         \
        return __builtin_bit_cast(                                                                                     \
            float, atomicExch##suffix((unsigned int*)address, __builtin_bit_cast(unsigned int, value)));               \
    }                                                                                                                  \
    COALESCED_COMPARE(int, "b32", "r", suffix, scope)                                                                  \
    COALESCED_COMPARE(unsigned int, "b32", "r", suffix, scope)                                                         \
    COALESCED_COMPARE(unsigned long long, "b64", "l", suffix, scope)                                                   \
    COALESCED_COMPARE(unsigned short, "b16", "h", suffix, scope)
COALESCED_OF_SCOPE(, "")
COALESCED_OF_SCOPE(_block, "cta.")
COALESCED_OF_SCOPE(_system, "sys.")
#undef COALESCED_OF_SCOPE
#undef COALESCED_COMPARE
