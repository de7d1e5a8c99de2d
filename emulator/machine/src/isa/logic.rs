//! Bitwise operations, shifts, moves and selections.

use super::family::instruction_family;
use super::float::flush;
use crate::vector::apply::Count;

instruction_family! {
    /// Bitwise operations and shifts.
    Logic {
        And32 "and.{b16|b32}" Integer, "d = a & b", (a: u32, b: u32) -> u32 { a & b }
        And64 "and.b64" Integer, "d = a & b", (a: u64, b: u64) -> u64 { a & b }
        AndPredicate "and.pred" Integer, "d = a & b", (a: bool, b: bool) -> bool { a & b }
        Or32 "or.{b16|b32}" Integer, "d = a | b", (a: u32, b: u32) -> u32 { a | b }
        Or64 "or.b64" Integer, "d = a | b", (a: u64, b: u64) -> u64 { a | b }
        OrPredicate "or.pred" Integer, "d = a | b", (a: bool, b: bool) -> bool { a | b }
        Xor32 "xor.{b16|b32}" Integer, "d = a ^ b", (a: u32, b: u32) -> u32 { a ^ b }
        Xor64 "xor.b64" Integer, "d = a ^ b", (a: u64, b: u64) -> u64 { a ^ b }
        XorPredicate "xor.pred" Integer, "d = a ^ b", (a: bool, b: bool) -> bool { a ^ b }
        Not16 "not.b16" Integer each, "d = ~a", (a: u16) -> u16 { !a }
        Not32 "not.b32" Integer, "d = ~a", (a: u32) -> u32 { !a }
        Not64 "not.b64" Integer, "d = ~a", (a: u64) -> u64 { !a }
        NotPredicate "not.pred" Integer, "d = !a", (a: bool) -> bool { !a }
        IsZero16 "cnot.b16" Integer each, "d = (a == 0)", (a: u16) -> u16 { u16::from(a == 0) }
        IsZero32 "cnot.b32" Integer each, "d = (a == 0)", (a: u32) -> u32 { u32::from(a == 0) }
        IsZero64 "cnot.b64" Integer each, "d = (a == 0)", (a: u64) -> u64 { u64::from(a == 0) }
        Lookup3 "lop3.b32" Integer, "each bit of d = bit a*4 + b*2 + c of the constant, for the bits of a, b and c", (a: u32, b: u32, c: u32, table: u32) -> u32 { lookup3(a, b, c, table) }

        ShiftLeft16 "shl.b16" Integer each, "d = a << b; 0 for b > 15", (a: u16, b: u32) -> u16 { a.checked_shl(b).unwrap_or(0) }
        ShiftLeft32 "shl.b32" Integer, "d = a << b; 0 for b > 31", (a: u32, b: Count) -> u32 { if b.0 > 31 { 0 } else { a << (b.0 & 31) } }
        ShiftLeft64 "shl.b64" Integer, "d = a << b; 0 for b > 63", (a: u64, b: Count) -> u64 { if b.0 > 63 { 0 } else { a << (b.0 & 63) } }
        ShiftRightU16 "shr.{b16|u16}" Integer each, "d = a >> b; 0 for b > 15", (a: u16, b: u32) -> u16 { a.checked_shr(b).unwrap_or(0) }
        ShiftRightS16 "shr.s16" Integer each, "d = a >> b; the sign for b > 15", (a: i16, b: u32) -> i16 { a >> b.min(15) }
        ShiftRightU32 "shr.{b32|u32}" Integer, "d = a >> b; 0 for b > 31", (a: u32, b: Count) -> u32 { if b.0 > 31 { 0 } else { a >> (b.0 & 31) } }
        ShiftRightS32 "shr.s32" Integer, "d = a >> b; the sign for b > 31", (a: i32, b: Count) -> i32 { a >> b.0.min(31) }
        ShiftRightU64 "shr.{b64|u64}" Integer, "d = a >> b; 0 for b > 63", (a: u64, b: Count) -> u64 { if b.0 > 63 { 0 } else { a >> (b.0 & 63) } }
        ShiftRightS64 "shr.s64" Integer, "d = a >> b; the sign for b > 63", (a: i64, b: Count) -> i64 { a >> b.0.min(63) }
        FunnelLeftClamp "shf.l.clamp.b32" Integer each, "d = high word of b:a << min(c, 32)", (a: u32, b: u32, c: u32) -> u32 { (pair(a, b) << c.min(32) >> 32) as u32 }
        FunnelLeftWrap "shf.l.wrap.b32" Integer each, "d = high word of b:a << (c mod 32)", (a: u32, b: u32, c: u32) -> u32 { (pair(a, b) << (c & 31) >> 32) as u32 }
        FunnelRightClamp "shf.r.clamp.b32" Integer, "d = low word of b:a >> min(c, 32)", (a: u32, b: u32, c: u32) -> u32 { (pair(a, b) >> c.min(32)) as u32 }
        FunnelRightWrap "shf.r.wrap.b32" Integer, "d = low word of b:a >> (c mod 32)", (a: u32, b: u32, c: u32) -> u32 { (pair(a, b) >> (c & 31)) as u32 }
        MaskClamp "bmsk.clamp.b32" Integer each, "d = b ones, starting at bit a; none for a > 31", (a: u32, b: u32) -> u32 { if a > 31 { 0 } else { ones(b.min(32)) << (a & 31) } }
        MaskWrap "bmsk.wrap.b32" Integer each, "d = (b mod 32) ones, starting at bit a mod 32", (a: u32, b: u32) -> u32 { ones(b & 31) << (a & 31) }
        Permute "prmt.b32" Move, "d = four bytes of b:a, selected by the nibbles of c", (a: u32, b: u32, c: u32) -> u32 { permute(a, b, c) }
    }
}

instruction_family! {
    /// Moves.
    Move {
        Narrow "mov.{b16|u16|s16|b32|u32|s32|f32}" Move, "d = a", (a: u32) -> u32 { a }
        Wide "mov.{b64|u64|s64|f64}" Move, "d = a", (a: u64) -> u64 { a }
        Predicate "mov.pred" Move, "d = a", (a: bool) -> bool { a }
    }
}

instruction_family! {
    /// Selections.
    Select {
        ByPredicate32 "selp.{b16|u16|s16|b32|u32|s32|f32}" Move, "d = c ? a : b", (a: u32, b: u32, c: bool) -> u32 { if c { a } else { b } }
        ByPredicate64 "selp.{b64|u64|s64|f64}" Move, "d = c ? a : b", (a: u64, b: u64, c: bool) -> u64 { if c { a } else { b } }
        BySign32 "slct.{b32|u32|s32|f32}.s32" Integer each, "d = c >= 0 ? a : b", (a: u32, b: u32, c: i32) -> u32 { if c >= 0 { a } else { b } }
        BySign64 "slct.{b64|u64|s64|f64}.s32" Integer each, "d = c >= 0 ? a : b", (a: u64, b: u64, c: i32) -> u64 { if c >= 0 { a } else { b } }
        ByFloat32 "slct.{b32|u32|s32|f32}.f32" Float each, "d = c >= 0 ? a : b", (a: u32, b: u32, c: f32) -> u32 { if c >= 0.0 { a } else { b } }
        ByFloat64 "slct.{b64|u64|s64|f64}.f32" Float each, "d = c >= 0 ? a : b", (a: u64, b: u64, c: f32) -> u64 { if c >= 0.0 { a } else { b } }
        ByFtz32 "slct.ftz.{b32|u32|s32|f32}.f32" Float each, "d = c >= 0 ? a : b, subnormals flushed to zero", (a: u32, b: u32, c: f32) -> u32 { if flush(c) >= 0.0 { a } else { b } }
        ByFtz64 "slct.ftz.{b64|u64|s64|f64}.f32" Float each, "d = c >= 0 ? a : b, subnormals flushed to zero", (a: u64, b: u64, c: f32) -> u64 { if flush(c) >= 0.0 { a } else { b } }
    }
}

/// Returns a word with the low `count` bits set, for up to 32.
#[inline(always)]
fn ones(count: u32) -> u32 {
    ((1_u64 << count) - 1) as u32
}

#[inline(always)]
fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[inline(always)]
fn lookup3(a: u32, b: u32, c: u32, table: u32) -> u32 {
    let mut result = 0;
    for index in 0..8 {
        let x = flip(a, index >> 2);
        let y = flip(b, index >> 1);
        let z = flip(c, index);
        result |= x & y & z & (table >> index & 1).wrapping_neg();
    }
    result
}

/// Returns `value` if the low bit of `keep` is set, else its complement.
#[inline(always)]
fn flip(value: u32, keep: u32) -> u32 {
    value ^ (keep & 1).wrapping_sub(1)
}

/// Returns the bytes of `high:low` that the nibbles of `selector` select. The top bit of a nibble replicates the byte's sign.
#[inline(always)]
fn permute(low: u32, high: u32, selector: u32) -> u32 {
    let mut result = 0;
    for index in 0..4 {
        let nibble = selector >> (4 * index);
        let byte = (pair(low, high) >> (8 * (nibble & 7))) as u8;
        let replicated = if byte & 0x80 != 0 { 0xFF } else { 0 };
        let byte = if nibble & 8 != 0 { replicated } else { u32::from(byte) };
        result |= byte << (8 * index);
    }
    result
}
