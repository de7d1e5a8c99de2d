// Bits of a number as another type, and conversions between types with a rounding: _rn to the nearest, _rz toward zero, _ru up,
// _rd down. A number out of the range of an integer gives the nearest integer of the type, and NaN gives 0 or, for 64 bits, the
// lowest one with the sign bit alone.
#pragma once

COALESCED_FUNCTION int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
COALESCED_FUNCTION unsigned int __float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
COALESCED_FUNCTION float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
COALESCED_FUNCTION float __uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
COALESCED_FUNCTION long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
COALESCED_FUNCTION double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
COALESCED_FUNCTION int __double2hiint(double a) { return (int)(__double_as_longlong(a) >> 32); }
COALESCED_FUNCTION int __double2loint(double a) { return (int)__double_as_longlong(a); }
COALESCED_FUNCTION double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)high << 32 | (unsigned int)low);
}

#define COALESCED_CONVERT(name, to, to_type, to_letter, from, from_type, from_letter, mode, ptx_mode)                  \
    COALESCED_FUNCTION to name##_##mode(from a) {                                                                      \
        to result;                                                                                                     \
        asm("cvt." ptx_mode "." to_type "." from_type " %0, %1;" : "=" to_letter(result) : from_letter(a));            \
        return result;                                                                                                 \
    }
#define COALESCED_TO_INTEGER(name, to, to_type, to_letter, from, from_type, from_letter)                               \
    COALESCED_CONVERT(name, to, to_type, to_letter, from, from_type, from_letter, rn, "rni")                           \
    COALESCED_CONVERT(name, to, to_type, to_letter, from, from_type, from_letter, rz, "rzi")                           \
    COALESCED_CONVERT(name, to, to_type, to_letter, from, from_type, from_letter, ru, "rpi")                           \
    COALESCED_CONVERT(name, to, to_type, to_letter, from, from_type, from_letter, rd, "rmi")
#define COALESCED_TO_FLOAT(name, to, to_type, to_letter, from, from_type, from_letter)                                 \
    COALESCED_CONVERT(name, to, to_type, to_letter, from, from_type, from_letter, rn, "rn")                            \
    COALESCED_CONVERT(name, to, to_type, to_letter, from, from_type, from_letter, rz, "rz")                            \
    COALESCED_CONVERT(name, to, to_type, to_letter, from, from_type, from_letter, ru, "rp")                            \
    COALESCED_CONVERT(name, to, to_type, to_letter, from, from_type, from_letter, rd, "rm")
COALESCED_TO_INTEGER(__float2int, int, "s32", "r", float, "f32", "f")
COALESCED_TO_INTEGER(__float2uint, unsigned int, "u32", "r", float, "f32", "f")
COALESCED_TO_INTEGER(__float2ll, long long, "s64", "l", float, "f32", "f")
COALESCED_TO_INTEGER(__float2ull, unsigned long long, "u64", "l", float, "f32", "f")
COALESCED_TO_INTEGER(__double2int, int, "s32", "r", double, "f64", "d")
COALESCED_TO_INTEGER(__double2uint, unsigned int, "u32", "r", double, "f64", "d")
COALESCED_TO_INTEGER(__double2ll, long long, "s64", "l", double, "f64", "d")
COALESCED_TO_INTEGER(__double2ull, unsigned long long, "u64", "l", double, "f64", "d")
COALESCED_TO_FLOAT(__int2float, float, "f32", "f", int, "s32", "r")
COALESCED_TO_FLOAT(__uint2float, float, "f32", "f", unsigned int, "u32", "r")
COALESCED_TO_FLOAT(__ll2float, float, "f32", "f", long long, "s64", "l")
COALESCED_TO_FLOAT(__ull2float, float, "f32", "f", unsigned long long, "u64", "l")
COALESCED_TO_FLOAT(__ll2double, double, "f64", "d", long long, "s64", "l")
COALESCED_TO_FLOAT(__ull2double, double, "f64", "d", unsigned long long, "u64", "l")
COALESCED_TO_FLOAT(__double2float, float, "f32", "f", double, "f64", "d")
COALESCED_FUNCTION double __int2double_rn(int a) { return a; }
COALESCED_FUNCTION double __uint2double_rn(unsigned int a) { return a; }
#undef COALESCED_TO_FLOAT
#undef COALESCED_TO_INTEGER
#undef COALESCED_CONVERT
