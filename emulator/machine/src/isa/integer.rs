//! Integer arithmetic. Results wrap around. 16-bit values are in the low half of a register.

use super::family::instruction_family;
use super::mbarrier_state::State;

instruction_family! {
    /// Integer arithmetic of one lane.
    Integer {
        Add16 "add.{u16|s16}" Integer, "d = a + b", (a: u16, b: u16) -> u16 { a.wrapping_add(b) }
        PendingCount "mbarrier.pending_count.b64" Integer each, "d = number of pending arrivals in state a", (a: u64) -> u32 { State::from_bits(a).pending() }
        Add32 "add.{u32|s32}" Integer, "d = a + b", (a: u32, b: u32) -> u32 { a.wrapping_add(b) }
        Add64 "add.{u64|s64}" Integer, "d = a + b", (a: u64, b: u64) -> u64 { a.wrapping_add(b) }
        AddSaturating "add.sat.s32" Integer each, "d = clamp(a + b)", (a: i32, b: i32) -> i32 { a.saturating_add(b) }
        Sub16 "sub.{u16|s16}" Integer each, "d = a - b", (a: u16, b: u16) -> u16 { a.wrapping_sub(b) }
        Sub32 "sub.{u32|s32}" Integer, "d = a - b", (a: u32, b: u32) -> u32 { a.wrapping_sub(b) }
        Sub64 "sub.{u64|s64}" Integer, "d = a - b", (a: u64, b: u64) -> u64 { a.wrapping_sub(b) }
        SubSaturating "sub.sat.s32" Integer each, "d = clamp(a - b)", (a: i32, b: i32) -> i32 { a.saturating_sub(b) }

        MulLow16 "mul.lo.{u16|s16}" Integer each, "d = low half of a * b", (a: u16, b: u16) -> u16 { a.wrapping_mul(b) }
        MulLow32 "mul.lo.{u32|s32}" Integer, "d = low half of a * b", (a: u32, b: u32) -> u32 { a.wrapping_mul(b) }
        MulLow64 "mul.lo.{u64|s64}" Integer, "d = low half of a * b", (a: u64, b: u64) -> u64 { a.wrapping_mul(b) }
        MulHighU16 "mul.hi.u16" Integer each, "d = high half of a * b", (a: u16, b: u16) -> u16 { (u32::from(a) * u32::from(b) >> 16) as u16 }
        MulHighS16 "mul.hi.s16" Integer each, "d = high half of a * b", (a: i16, b: i16) -> i16 { (i32::from(a) * i32::from(b) >> 16) as i16 }
        MulHighU32 "mul.hi.u32" Integer, "d = high half of a * b", (a: u32, b: u32) -> u32 { (u64::from(a) * u64::from(b) >> 32) as u32 }
        MulHighS32 "mul.hi.s32" Integer, "d = high half of a * b", (a: i32, b: i32) -> i32 { (i64::from(a) * i64::from(b) >> 32) as i32 }
        MulHighU64 "mul.hi.u64" Integer each, "d = high half of a * b", (a: u64, b: u64) -> u64 { (u128::from(a) * u128::from(b) >> 64) as u64 }
        MulHighS64 "mul.hi.s64" Integer each, "d = high half of a * b", (a: i64, b: i64) -> i64 { (i128::from(a) * i128::from(b) >> 64) as i64 }
        MulWideU16 "mul.wide.u16" Integer each, "d = a * b", (a: u16, b: u16) -> u32 { u32::from(a) * u32::from(b) }
        MulWideS16 "mul.wide.s16" Integer each, "d = a * b", (a: i16, b: i16) -> i32 { i32::from(a) * i32::from(b) }
        MulWideU32 "mul.wide.u32" Integer, "d = a * b", (a: u32, b: u32) -> u64 { u64::from(a) * u64::from(b) }
        MulWideS32 "mul.wide.s32" Integer, "d = a * b", (a: i32, b: i32) -> i64 { i64::from(a) * i64::from(b) }
        Mul24LowU32 "mul24.lo.u32" Integer each, "d = low 32 bits of a[23:0] * b[23:0]", (a: u32, b: u32) -> u32 { low24(a).wrapping_mul(low24(b)) }
        Mul24LowS32 "mul24.lo.s32" Integer each, "d = low 32 bits of a[23:0] * b[23:0]", (a: i32, b: i32) -> i32 { signed24(a).wrapping_mul(signed24(b)) }
        Mul24HighU32 "mul24.hi.u32" Integer each, "d = high 32 of the 48 bits of a[23:0] * b[23:0]", (a: u32, b: u32) -> u32 { (u64::from(low24(a)) * u64::from(low24(b)) >> 16) as u32 }
        Mul24HighS32 "mul24.hi.s32" Integer each, "d = high 32 of the 48 bits of a[23:0] * b[23:0]", (a: i32, b: i32) -> i32 { (i64::from(signed24(a)) * i64::from(signed24(b)) >> 16) as i32 }

        MadLow16 "mad.lo.{u16|s16}" Integer each, "d = low half of a * b + c", (a: u16, b: u16, c: u16) -> u16 { a.wrapping_mul(b).wrapping_add(c) }
        MadLow32 "mad.lo.{u32|s32}" Integer, "d = low half of a * b + c", (a: u32, b: u32, c: u32) -> u32 { a.wrapping_mul(b).wrapping_add(c) }
        MadLow64 "mad.lo.{u64|s64}" Integer, "d = low half of a * b + c", (a: u64, b: u64, c: u64) -> u64 { a.wrapping_mul(b).wrapping_add(c) }
        MadHighU32 "mad.hi.u32" Integer each, "d = (high half of a * b) + c", (a: u32, b: u32, c: u32) -> u32 { ((u64::from(a) * u64::from(b) >> 32) as u32).wrapping_add(c) }
        MadHighS32 "mad.hi.s32" Integer each, "d = (high half of a * b) + c", (a: i32, b: i32, c: i32) -> i32 { ((i64::from(a) * i64::from(b) >> 32) as i32).wrapping_add(c) }
        MadHighU64 "mad.hi.u64" Integer each, "d = (high half of a * b) + c", (a: u64, b: u64, c: u64) -> u64 { ((u128::from(a) * u128::from(b) >> 64) as u64).wrapping_add(c) }
        MadHighS64 "mad.hi.s64" Integer each, "d = (high half of a * b) + c", (a: i64, b: i64, c: i64) -> i64 { ((i128::from(a) * i128::from(b) >> 64) as i64).wrapping_add(c) }
        MadWideU16 "mad.wide.u16" Integer each, "d = a * b + c", (a: u16, b: u16, c: u32) -> u32 { (u32::from(a) * u32::from(b)).wrapping_add(c) }
        MadWideS16 "mad.wide.s16" Integer each, "d = a * b + c", (a: i16, b: i16, c: i32) -> i32 { (i32::from(a) * i32::from(b)).wrapping_add(c) }
        MadWideU32 "mad.wide.u32" Integer, "d = a * b + c", (a: u32, b: u32, c: u64) -> u64 { (u64::from(a) * u64::from(b)).wrapping_add(c) }
        MadWideS32 "mad.wide.s32" Integer, "d = a * b + c", (a: i32, b: i32, c: i64) -> i64 { (i64::from(a) * i64::from(b)).wrapping_add(c) }
        Mad24LowU32 "mad24.lo.u32" Integer each, "d = low 32 bits of a[23:0] * b[23:0] + c", (a: u32, b: u32, c: u32) -> u32 { low24(a).wrapping_mul(low24(b)).wrapping_add(c) }
        Mad24LowS32 "mad24.lo.s32" Integer each, "d = low 32 bits of a[23:0] * b[23:0] + c", (a: i32, b: i32, c: i32) -> i32 { signed24(a).wrapping_mul(signed24(b)).wrapping_add(c) }

        DivU16 "div.u16" Integer each, "d = a / b; all ones for b = 0", (a: u16, b: u16) -> u16 { a.checked_div(b).unwrap_or(u16::MAX) }
        DivS16 "div.s16" Integer each, "d = a / b; all ones for b = 0", (a: i16, b: i16) -> i16 { if b == 0 { -1 } else { a.wrapping_div(b) } }
        DivU32 "div.u32" Integer each, "d = a / b; all ones for b = 0", (a: u32, b: u32) -> u32 { a.checked_div(b).unwrap_or(u32::MAX) }
        DivS32 "div.s32" Integer each, "d = a / b; all ones for b = 0", (a: i32, b: i32) -> i32 { if b == 0 { -1 } else { a.wrapping_div(b) } }
        DivU64 "div.u64" Integer each, "d = a / b; all ones for b = 0", (a: u64, b: u64) -> u64 { a.checked_div(b).unwrap_or(u64::MAX) }
        DivS64 "div.s64" Integer each, "d = a / b; all ones for b = 0", (a: i64, b: i64) -> i64 { if b == 0 { -1 } else { a.wrapping_div(b) } }
        RemU16 "rem.u16" Integer each, "d = a mod b; all ones for b = 0", (a: u16, b: u16) -> u16 { a.checked_rem(b).unwrap_or(u16::MAX) }
        RemS16 "rem.s16" Integer each, "d = a mod b, sign of a; all ones for b = 0", (a: i16, b: i16) -> i16 { if b == 0 { -1 } else { a.wrapping_rem(b) } }
        RemU32 "rem.u32" Integer each, "d = a mod b; all ones for b = 0", (a: u32, b: u32) -> u32 { a.checked_rem(b).unwrap_or(u32::MAX) }
        RemS32 "rem.s32" Integer each, "d = a mod b, sign of a; all ones for b = 0", (a: i32, b: i32) -> i32 { if b == 0 { -1 } else { a.wrapping_rem(b) } }
        RemU64 "rem.u64" Integer each, "d = a mod b; all ones for b = 0", (a: u64, b: u64) -> u64 { a.checked_rem(b).unwrap_or(u64::MAX) }
        RemS64 "rem.s64" Integer each, "d = a mod b, sign of a; all ones for b = 0", (a: i64, b: i64) -> i64 { if b == 0 { -1 } else { a.wrapping_rem(b) } }

        Abs16 "abs.s16" Integer each, "d = |a|", (a: i16) -> i16 { a.wrapping_abs() }
        Abs32 "abs.s32" Integer, "d = |a|", (a: i32) -> i32 { a.wrapping_abs() }
        Abs64 "abs.s64" Integer, "d = |a|", (a: i64) -> i64 { a.wrapping_abs() }
        Neg16 "neg.s16" Integer each, "d = -a", (a: i16) -> i16 { a.wrapping_neg() }
        Neg32 "neg.s32" Integer, "d = -a", (a: i32) -> i32 { a.wrapping_neg() }
        Neg64 "neg.s64" Integer, "d = -a", (a: i64) -> i64 { a.wrapping_neg() }
        MinU16 "min.u16" Comparison each, "d = min(a, b)", (a: u16, b: u16) -> u16 { a.min(b) }
        MinS16 "min.s16" Comparison each, "d = min(a, b)", (a: i16, b: i16) -> i16 { a.min(b) }
        MinU32 "min.u32" Comparison, "d = min(a, b)", (a: u32, b: u32) -> u32 { a.min(b) }
        MinS32 "min.s32" Comparison, "d = min(a, b)", (a: i32, b: i32) -> i32 { a.min(b) }
        MinU64 "min.u64" Comparison, "d = min(a, b)", (a: u64, b: u64) -> u64 { a.min(b) }
        MinS64 "min.s64" Comparison, "d = min(a, b)", (a: i64, b: i64) -> i64 { a.min(b) }
        MaxU16 "max.u16" Comparison each, "d = max(a, b)", (a: u16, b: u16) -> u16 { a.max(b) }
        MaxS16 "max.s16" Comparison each, "d = max(a, b)", (a: i16, b: i16) -> i16 { a.max(b) }
        MaxU32 "max.u32" Comparison, "d = max(a, b)", (a: u32, b: u32) -> u32 { a.max(b) }
        MaxS32 "max.s32" Comparison, "d = max(a, b)", (a: i32, b: i32) -> i32 { a.max(b) }
        MaxU64 "max.u64" Comparison, "d = max(a, b)", (a: u64, b: u64) -> u64 { a.max(b) }
        MaxS64 "max.s64" Comparison, "d = max(a, b)", (a: i64, b: i64) -> i64 { a.max(b) }
        SadU16 "sad.u16" Integer each, "d = c + |a - b|", (a: u16, b: u16, c: u16) -> u16 { c.wrapping_add(a.abs_diff(b)) }
        SadS16 "sad.s16" Integer each, "d = c + |a - b|", (a: i16, b: i16, c: u16) -> u16 { c.wrapping_add(a.abs_diff(b)) }
        SadU32 "sad.u32" Integer each, "d = c + |a - b|", (a: u32, b: u32, c: u32) -> u32 { c.wrapping_add(a.abs_diff(b)) }
        SadS32 "sad.s32" Integer each, "d = c + |a - b|", (a: i32, b: i32, c: u32) -> u32 { c.wrapping_add(a.abs_diff(b)) }
        SadU64 "sad.u64" Integer each, "d = c + |a - b|", (a: u64, b: u64, c: u64) -> u64 { c.wrapping_add(a.abs_diff(b)) }
        SadS64 "sad.s64" Integer each, "d = c + |a - b|", (a: i64, b: i64, c: u64) -> u64 { c.wrapping_add(a.abs_diff(b)) }

        Dot4UU "dp4a.u32.u32" Integer, "d = c + sum of the 4 byte products", (a: u32, b: u32, c: u32) -> u32 { dot4(a, b, c, unsigned_byte, unsigned_byte) }
        Dot4US "dp4a.u32.s32" Integer, "d = c + sum of the 4 byte products", (a: u32, b: u32, c: u32) -> u32 { dot4(a, b, c, unsigned_byte, signed_byte) }
        Dot4SU "dp4a.s32.u32" Integer, "d = c + sum of the 4 byte products", (a: u32, b: u32, c: u32) -> u32 { dot4(a, b, c, signed_byte, unsigned_byte) }
        Dot4SS "dp4a.s32.s32" Integer, "d = c + sum of the 4 byte products", (a: u32, b: u32, c: u32) -> u32 { dot4(a, b, c, signed_byte, signed_byte) }

        Popc32 "popc.b32" Integer, "d = number of set bits of a", (a: u32) -> u32 { a.count_ones() }
        Popc64 "popc.b64" Integer each, "d = number of set bits of a", (a: u64) -> u32 { a.count_ones() }
        Clz32 "clz.b32" Integer, "d = number of leading zeros of a", (a: u32) -> u32 { a.leading_zeros() }
        Clz64 "clz.b64" Integer each, "d = number of leading zeros of a", (a: u64) -> u32 { a.leading_zeros() }
        Brev32 "brev.b32" Integer each, "d = bits of a in reverse order", (a: u32) -> u32 { a.reverse_bits() }
        Brev64 "brev.b64" Integer each, "d = bits of a in reverse order", (a: u64) -> u64 { a.reverse_bits() }
        FindU32 "bfind.u32" Integer each, "d = index of the highest set bit; all ones if none", (a: u32) -> u32 { highest32(a) }
        FindS32 "bfind.s32" Integer each, "d = index of the highest bit that differs from the sign; all ones if none", (a: u32) -> u32 { highest32(without_sign32(a)) }
        FindU64 "bfind.u64" Integer each, "d = index of the highest set bit; all ones if none", (a: u64) -> u32 { highest64(a) }
        FindS64 "bfind.s64" Integer each, "d = index of the highest bit that differs from the sign; all ones if none", (a: u64) -> u32 { highest64(without_sign64(a)) }
        FindShiftU32 "bfind.shiftamt.u32" Integer each, "d = left shift that moves that bit to the top; all ones if none", (a: u32) -> u32 { shift_amount(highest32(a), 31) }
        FindShiftS32 "bfind.shiftamt.s32" Integer each, "d = left shift that moves that bit to the top; all ones if none", (a: u32) -> u32 { shift_amount(highest32(without_sign32(a)), 31) }
        FindShiftU64 "bfind.shiftamt.u64" Integer each, "d = left shift that moves that bit to the top; all ones if none", (a: u64) -> u32 { shift_amount(highest64(a), 63) }
        FindShiftS64 "bfind.shiftamt.s64" Integer each, "d = left shift that moves that bit to the top; all ones if none", (a: u64) -> u32 { shift_amount(highest64(without_sign64(a)), 63) }
        ExtractU32 "bfe.u32" Integer, "d = c bits of a, starting at bit b", (a: u32, b: u32, c: u32) -> u32 { extract(u64::from(a), b, c, 32, false) as u32 }
        ExtractS32 "bfe.s32" Integer, "d = c bits of a, starting at bit b, sign-extended", (a: u32, b: u32, c: u32) -> u32 { extract(i64::from(a as i32) as u64, b, c, 32, true) as u32 }
        ExtractU64 "bfe.u64" Integer each, "d = c bits of a, starting at bit b", (a: u64, b: u32, c: u32) -> u64 { extract(a, b, c, 64, false) }
        ExtractS64 "bfe.s64" Integer each, "d = c bits of a, starting at bit b, sign-extended", (a: u64, b: u32, c: u32) -> u64 { extract(a, b, c, 64, true) }
        Insert32 "bfi.b32" Integer, "d = b with e bits, starting at bit c, replaced by the low bits of a", (a: u32, b: u32, c: u32, e: u32) -> u32 { insert(u64::from(a), u64::from(b), c, e, 32) as u32 }
        Insert64 "bfi.b64" Integer each, "d = b with e bits, starting at bit c, replaced by the low bits of a", (a: u64, b: u64, c: u32, e: u32) -> u64 { insert(a, b, c, e, 64) }
    }
}

#[inline(always)]
fn low24(value: u32) -> u32 {
    value & 0xFF_FFFF
}

#[inline(always)]
fn signed24(value: i32) -> i32 {
    value << 8 >> 8
}

#[inline(always)]
fn unsigned_byte(word: u32, index: u32) -> i32 {
    (word >> (8 * index) & 0xFF) as i32
}

#[inline(always)]
fn signed_byte(word: u32, index: u32) -> i32 {
    i32::from((word >> (8 * index)) as i8)
}

#[inline(always)]
fn dot4(a: u32, b: u32, c: u32, left: fn(u32, u32) -> i32, right: fn(u32, u32) -> i32) -> u32 {
    (0..4).fold(c, |sum, index| sum.wrapping_add((left(a, index) * right(b, index)) as u32))
}

#[inline(always)]
fn highest32(value: u32) -> u32 {
    31_u32.wrapping_sub(value.leading_zeros())
}

#[inline(always)]
fn highest64(value: u64) -> u32 {
    63_u32.wrapping_sub(value.leading_zeros())
}

#[inline(always)]
fn without_sign32(value: u32) -> u32 {
    value ^ ((value as i32) >> 31) as u32
}

#[inline(always)]
fn without_sign64(value: u64) -> u64 {
    value ^ ((value as i64) >> 63) as u64
}

#[inline(always)]
fn shift_amount(position: u32, top: u32) -> u32 {
    if position == u32::MAX { position } else { top - position }
}

/// Returns bits `[start, start + length)` of `value`, which has `width` bits. `start` and `length` are taken modulo 256. Bits
/// beyond the top are zeros, or copies of the sign if `signed`.
#[inline(always)]
fn extract(value: u64, start: u32, length: u32, width: u32, signed: bool) -> u64 {
    let start = start & 0xFF;
    let length = length & 0xFF;
    if length == 0 {
        return 0;
    }
    let top = (start + length - 1).min(width - 1);
    let sign = signed && value >> top & 1 != 0;
    let fill = if sign { u64::MAX } else { 0 };
    let field = if start >= width { 0 } else { value >> start };
    let kept = if start > top { 0 } else { (top - start + 1).min(64) };
    let mask = if kept == 64 { u64::MAX } else { (1 << kept) - 1 };
    (field & mask) | (fill & !mask)
}

/// Returns `base` with bits `[start, start + length)` replaced by the low bits of `field`.
#[inline(always)]
fn insert(field: u64, base: u64, start: u32, length: u32, width: u32) -> u64 {
    let start = start & 0xFF;
    let length = length & 0xFF;
    if start >= width || length == 0 {
        return base;
    }
    let mask = if length >= 64 { u64::MAX } else { (1 << length) - 1 };
    (base & !(mask << start)) | (field & mask) << start
}
