// Loads and stores with a choice of caches, and conversions between a pointer and the address in its space.
#pragma once

COALESCED_FUNCTION size_t __cvta_generic_to_global(const void* pointer) {
    return (size_t)(const __attribute__((address_space(1))) void*)pointer;
}
COALESCED_FUNCTION size_t __cvta_generic_to_shared(const void* pointer) {
    return (size_t)(const __attribute__((address_space(3))) void*)pointer;
}
COALESCED_FUNCTION size_t __cvta_generic_to_constant(const void* pointer) {
    return (size_t)(const __attribute__((address_space(4))) void*)pointer;
}
COALESCED_FUNCTION size_t __cvta_generic_to_local(const void* pointer) {
    return (size_t)(const __attribute__((address_space(5))) void*)pointer;
}
COALESCED_FUNCTION void* __cvta_global_to_generic(size_t address) {
    return (void*)(__attribute__((address_space(1))) void*)address;
}
COALESCED_FUNCTION void* __cvta_shared_to_generic(size_t address) {
    return (void*)(__attribute__((address_space(3))) void*)address;
}
COALESCED_FUNCTION unsigned int __isGlobal(const void* pointer) { return __nvvm_isspacep_global(pointer); }
COALESCED_FUNCTION unsigned int __isShared(const void* pointer) { return __nvvm_isspacep_shared(pointer); }
COALESCED_FUNCTION unsigned int __isConstant(const void* pointer) { return __nvvm_isspacep_const(pointer); }
COALESCED_FUNCTION unsigned int __isLocal(const void* pointer) { return __nvvm_isspacep_local(pointer); }

// A load of one number, of two and of four by one instruction each, and the same of stores. `constraint` is the letter of the
// register, and `bits` the type of the instruction.
#define COALESCED_LOAD(name, cache, type, bits, constraint)                                                            \
    COALESCED_FUNCTION type name(const type* pointer) {                                                                \
        type value;                                                                                                    \
        asm volatile("ld.global." cache "." bits " %0, [%1];" : "=" constraint(value) : "l"(pointer) : "memory");      \
        return value;                                                                                                  \
    }
#define COALESCED_LOAD_2(name, cache, type, bits, constraint)                                                          \
    COALESCED_FUNCTION type name(const type* pointer) {                                                                \
        type value;                                                                                                    \
        asm volatile("ld.global." cache ".v2." bits " {%0, %1}, [%2];"                                                 \
                     : "=" constraint(value.x), "=" constraint(value.y)                                                \
                     : "l"(pointer)                                                                                    \
                     : "memory");                                                                                      \
        return value;                                                                                                  \
    }
#define COALESCED_LOAD_4(name, cache, type, bits, constraint)                                                          \
    COALESCED_FUNCTION type name(const type* pointer) {                                                                \
        type value;                                                                                                    \
        asm volatile("ld.global." cache ".v4." bits " {%0, %1, %2, %3}, [%4];"                                         \
                     : "=" constraint(value.x), "=" constraint(value.y), "=" constraint(value.z), "=" constraint(value.w) \
                     : "l"(pointer)                                                                                    \
                     : "memory");                                                                                      \
        return value;                                                                                                  \
    }
#define COALESCED_STORE(name, cache, type, bits, constraint)                                                           \
    COALESCED_FUNCTION void name(type* pointer, type value) {                                                          \
        asm volatile("st.global." cache "." bits " [%0], %1;" ::"l"(pointer), constraint(value) : "memory");           \
    }
#define COALESCED_STORE_2(name, cache, type, bits, constraint)                                                         \
    COALESCED_FUNCTION void name(type* pointer, type value) {                                                          \
        asm volatile("st.global." cache ".v2." bits " [%0], {%1, %2};" ::"l"(pointer), constraint(value.x),            \
                     constraint(value.y)                                                                               \
                     : "memory");                                                                                      \
    }
#define COALESCED_STORE_4(name, cache, type, bits, constraint)                                                         \
    COALESCED_FUNCTION void name(type* pointer, type value) {                                                          \
        asm volatile("st.global." cache ".v4." bits " [%0], {%1, %2, %3, %4};" ::"l"(pointer), constraint(value.x),    \
                     constraint(value.y), constraint(value.z), constraint(value.w)                                     \
                     : "memory");                                                                                      \
    }
#define COALESCED_TYPES(one, two, four, name, cache)                                                                   \
    one(name, cache, int, "s32", "r") one(name, cache, unsigned int, "u32", "r") one(name, cache, float, "f32", "f")   \
        one(name, cache, long long, "s64", "l") one(name, cache, unsigned long long, "u64", "l")                       \
            one(name, cache, double, "f64", "d") one(name, cache, short, "s16", "h")                                   \
                one(name, cache, unsigned short, "u16", "h") two(name, cache, int2, "s32", "r")                        \
                    two(name, cache, uint2, "u32", "r") two(name, cache, float2, "f32", "f")                           \
                        two(name, cache, double2, "f64", "d") two(name, cache, longlong2, "s64", "l")                  \
                            two(name, cache, ulonglong2, "u64", "l") four(name, cache, int4, "s32", "r")               \
                                four(name, cache, uint4, "u32", "r") four(name, cache, float4, "f32", "f")
#define COALESCED_LOADS(name, cache) COALESCED_TYPES(COALESCED_LOAD, COALESCED_LOAD_2, COALESCED_LOAD_4, name, cache)
#define COALESCED_STORES(name, cache) COALESCED_TYPES(COALESCED_STORE, COALESCED_STORE_2, COALESCED_STORE_4, name, cache)
COALESCED_LOADS(__ldg, "nc")
COALESCED_LOADS(__ldca, "ca")
COALESCED_LOADS(__ldcg, "cg")
COALESCED_LOADS(__ldcs, "cs")
COALESCED_LOADS(__ldlu, "lu")
COALESCED_LOADS(__ldcv, "cv")
COALESCED_STORES(__stwb, "wb")
COALESCED_STORES(__stcg, "cg")
COALESCED_STORES(__stcs, "cs")
COALESCED_STORES(__stwt, "wt")
#undef COALESCED_LOADS
#undef COALESCED_STORES
#undef COALESCED_TYPES
#undef COALESCED_LOAD
#undef COALESCED_LOAD_2
#undef COALESCED_LOAD_4
#undef COALESCED_STORE
#undef COALESCED_STORE_2
#undef COALESCED_STORE_4

COALESCED_FUNCTION void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
COALESCED_FUNCTION void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
