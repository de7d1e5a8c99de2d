//! Comparisons of two values, whose result is a predicate. Lowering combines a comparison with a predicate (`setp.lt.and`), and
//! computes its second result (`p|q`).

#![allow(clippy::neg_cmp_op_on_partial_ord, clippy::double_comparisons)] // "not less" is true for a NaN, as the equation requires.

use super::family::instruction_family;
use super::float::flush;

instruction_family! {
    /// Comparisons.
    Compare {
        Eq16 "setp.eq.{b16|u16|s16}" Comparison each, "p = a == b", (a: u16, b: u16) -> bool { a == b }
        Ne16 "setp.ne.{b16|u16|s16}" Comparison each, "p = a != b", (a: u16, b: u16) -> bool { a != b }
        Eq32 "setp.eq.{b32|u32|s32}" Comparison, "p = a == b", (a: u32, b: u32) -> bool { a == b }
        Ne32 "setp.ne.{b32|u32|s32}" Comparison, "p = a != b", (a: u32, b: u32) -> bool { a != b }
        Eq64 "setp.eq.{b64|u64|s64}" Comparison, "p = a == b", (a: u64, b: u64) -> bool { a == b }
        Ne64 "setp.ne.{b64|u64|s64}" Comparison, "p = a != b", (a: u64, b: u64) -> bool { a != b }
        LtU16 "setp.{lt|lo}.u16" Comparison each, "p = a < b", (a: u16, b: u16) -> bool { a < b }
        LtS16 "setp.lt.s16" Comparison each, "p = a < b", (a: i16, b: i16) -> bool { a < b }
        LeU16 "setp.{le|ls}.u16" Comparison each, "p = a <= b", (a: u16, b: u16) -> bool { a <= b }
        LeS16 "setp.le.s16" Comparison each, "p = a <= b", (a: i16, b: i16) -> bool { a <= b }
        GtU16 "setp.{gt|hi}.u16" Comparison each, "p = a > b", (a: u16, b: u16) -> bool { a > b }
        GtS16 "setp.gt.s16" Comparison each, "p = a > b", (a: i16, b: i16) -> bool { a > b }
        GeU16 "setp.{ge|hs}.u16" Comparison each, "p = a >= b", (a: u16, b: u16) -> bool { a >= b }
        GeS16 "setp.ge.s16" Comparison each, "p = a >= b", (a: i16, b: i16) -> bool { a >= b }
        LtU32 "setp.{lt|lo}.u32" Comparison, "p = a < b", (a: u32, b: u32) -> bool { a < b }
        LtS32 "setp.lt.s32" Comparison, "p = a < b", (a: i32, b: i32) -> bool { a < b }
        LeU32 "setp.{le|ls}.u32" Comparison, "p = a <= b", (a: u32, b: u32) -> bool { a <= b }
        LeS32 "setp.le.s32" Comparison, "p = a <= b", (a: i32, b: i32) -> bool { a <= b }
        GtU32 "setp.{gt|hi}.u32" Comparison, "p = a > b", (a: u32, b: u32) -> bool { a > b }
        GtS32 "setp.gt.s32" Comparison, "p = a > b", (a: i32, b: i32) -> bool { a > b }
        GeU32 "setp.{ge|hs}.u32" Comparison, "p = a >= b", (a: u32, b: u32) -> bool { a >= b }
        GeS32 "setp.ge.s32" Comparison, "p = a >= b", (a: i32, b: i32) -> bool { a >= b }
        LtU64 "setp.{lt|lo}.u64" Comparison, "p = a < b", (a: u64, b: u64) -> bool { a < b }
        LtS64 "setp.lt.s64" Comparison, "p = a < b", (a: i64, b: i64) -> bool { a < b }
        LeU64 "setp.{le|ls}.u64" Comparison, "p = a <= b", (a: u64, b: u64) -> bool { a <= b }
        LeS64 "setp.le.s64" Comparison, "p = a <= b", (a: i64, b: i64) -> bool { a <= b }
        GtU64 "setp.{gt|hi}.u64" Comparison, "p = a > b", (a: u64, b: u64) -> bool { a > b }
        GtS64 "setp.gt.s64" Comparison, "p = a > b", (a: i64, b: i64) -> bool { a > b }
        GeU64 "setp.{ge|hs}.u64" Comparison, "p = a >= b", (a: u64, b: u64) -> bool { a >= b }
        GeS64 "setp.ge.s64" Comparison, "p = a >= b", (a: i64, b: i64) -> bool { a >= b }
        LtF32 "setp.lt.f32" Comparison, "p = a < b, false for a NaN", (a: f32, b: f32) -> bool { a < b }
        LtUnorderedF32 "setp.ltu.f32" Comparison, "p = a < b, true for a NaN", (a: f32, b: f32) -> bool { !(a >= b) }
        LeF32 "setp.le.f32" Comparison, "p = a <= b, false for a NaN", (a: f32, b: f32) -> bool { a <= b }
        LeUnorderedF32 "setp.leu.f32" Comparison, "p = a <= b, true for a NaN", (a: f32, b: f32) -> bool { !(a > b) }
        GtF32 "setp.gt.f32" Comparison, "p = a > b, false for a NaN", (a: f32, b: f32) -> bool { a > b }
        GtUnorderedF32 "setp.gtu.f32" Comparison, "p = a > b, true for a NaN", (a: f32, b: f32) -> bool { !(a <= b) }
        GeF32 "setp.ge.f32" Comparison, "p = a >= b, false for a NaN", (a: f32, b: f32) -> bool { a >= b }
        GeUnorderedF32 "setp.geu.f32" Comparison, "p = a >= b, true for a NaN", (a: f32, b: f32) -> bool { !(a < b) }
        EqF32 "setp.eq.f32" Comparison, "p = a == b, false for a NaN", (a: f32, b: f32) -> bool { a == b }
        EqUnorderedF32 "setp.equ.f32" Comparison, "p = a == b, true for a NaN", (a: f32, b: f32) -> bool { !(a < b || a > b) }
        NeF32 "setp.ne.f32" Comparison, "p = a != b, false for a NaN", (a: f32, b: f32) -> bool { a < b || a > b }
        NeUnorderedF32 "setp.neu.f32" Comparison, "p = a != b, true for a NaN", (a: f32, b: f32) -> bool { a != b }
        NumF32 "setp.num.f32" Comparison each, "p = neither a nor b is a NaN", (a: f32, b: f32) -> bool { !a.is_nan() && !b.is_nan() }
        NanF32 "setp.nan.f32" Comparison each, "p = a or b is a NaN", (a: f32, b: f32) -> bool { a.is_nan() || b.is_nan() }
        LtFtz32 "setp.lt.ftz.f32" Comparison, "p = a < b, false for a NaN", (a: f32, b: f32) -> bool { flush(a) < flush(b) }
        LtUnorderedFtz32 "setp.ltu.ftz.f32" Comparison, "p = a < b, true for a NaN", (a: f32, b: f32) -> bool { !(flush(a) >= flush(b)) }
        LeFtz32 "setp.le.ftz.f32" Comparison, "p = a <= b, false for a NaN", (a: f32, b: f32) -> bool { flush(a) <= flush(b) }
        LeUnorderedFtz32 "setp.leu.ftz.f32" Comparison, "p = a <= b, true for a NaN", (a: f32, b: f32) -> bool { !(flush(a) > flush(b)) }
        GtFtz32 "setp.gt.ftz.f32" Comparison, "p = a > b, false for a NaN", (a: f32, b: f32) -> bool { flush(a) > flush(b) }
        GtUnorderedFtz32 "setp.gtu.ftz.f32" Comparison, "p = a > b, true for a NaN", (a: f32, b: f32) -> bool { !(flush(a) <= flush(b)) }
        GeFtz32 "setp.ge.ftz.f32" Comparison, "p = a >= b, false for a NaN", (a: f32, b: f32) -> bool { flush(a) >= flush(b) }
        GeUnorderedFtz32 "setp.geu.ftz.f32" Comparison, "p = a >= b, true for a NaN", (a: f32, b: f32) -> bool { !(flush(a) < flush(b)) }
        EqFtz32 "setp.eq.ftz.f32" Comparison, "p = a == b, false for a NaN", (a: f32, b: f32) -> bool { flush(a) == flush(b) }
        EqUnorderedFtz32 "setp.equ.ftz.f32" Comparison, "p = a == b, true for a NaN", (a: f32, b: f32) -> bool { !(flush(a) < flush(b) || flush(a) > flush(b)) }
        NeFtz32 "setp.ne.ftz.f32" Comparison, "p = a != b, false for a NaN", (a: f32, b: f32) -> bool { flush(a) < flush(b) || flush(a) > flush(b) }
        NeUnorderedFtz32 "setp.neu.ftz.f32" Comparison, "p = a != b, true for a NaN", (a: f32, b: f32) -> bool { flush(a) != flush(b) }
        NumFtz32 "setp.num.ftz.f32" Comparison each, "p = neither a nor b is a NaN", (a: f32, b: f32) -> bool { !a.is_nan() && !b.is_nan() }
        NanFtz32 "setp.nan.ftz.f32" Comparison each, "p = a or b is a NaN", (a: f32, b: f32) -> bool { a.is_nan() || b.is_nan() }
        LtF64 "setp.lt.f64" Comparison, "p = a < b, false for a NaN", (a: f64, b: f64) -> bool { a < b }
        LtUnorderedF64 "setp.ltu.f64" Comparison each, "p = a < b, true for a NaN", (a: f64, b: f64) -> bool { !(a >= b) }
        LeF64 "setp.le.f64" Comparison, "p = a <= b, false for a NaN", (a: f64, b: f64) -> bool { a <= b }
        LeUnorderedF64 "setp.leu.f64" Comparison each, "p = a <= b, true for a NaN", (a: f64, b: f64) -> bool { !(a > b) }
        GtF64 "setp.gt.f64" Comparison, "p = a > b, false for a NaN", (a: f64, b: f64) -> bool { a > b }
        GtUnorderedF64 "setp.gtu.f64" Comparison each, "p = a > b, true for a NaN", (a: f64, b: f64) -> bool { !(a <= b) }
        GeF64 "setp.ge.f64" Comparison, "p = a >= b, false for a NaN", (a: f64, b: f64) -> bool { a >= b }
        GeUnorderedF64 "setp.geu.f64" Comparison each, "p = a >= b, true for a NaN", (a: f64, b: f64) -> bool { !(a < b) }
        EqF64 "setp.eq.f64" Comparison, "p = a == b, false for a NaN", (a: f64, b: f64) -> bool { a == b }
        EqUnorderedF64 "setp.equ.f64" Comparison each, "p = a == b, true for a NaN", (a: f64, b: f64) -> bool { !(a < b || a > b) }
        NeF64 "setp.ne.f64" Comparison, "p = a != b, false for a NaN", (a: f64, b: f64) -> bool { a < b || a > b }
        NeUnorderedF64 "setp.neu.f64" Comparison each, "p = a != b, true for a NaN", (a: f64, b: f64) -> bool { a != b }
        NumF64 "setp.num.f64" Comparison each, "p = neither a nor b is a NaN", (a: f64, b: f64) -> bool { !a.is_nan() && !b.is_nan() }
        NanF64 "setp.nan.f64" Comparison each, "p = a or b is a NaN", (a: f64, b: f64) -> bool { a.is_nan() || b.is_nan() }
    }
}

instruction_family! {
    /// Tests of the class of a floating-point number.
    Test {
        Finite32 "testp.finite.f32" Float each, "p = a is finite", (a: f32) -> bool { a.is_finite() }
        Finite64 "testp.finite.f64" Float each, "p = a is finite", (a: f64) -> bool { a.is_finite() }
        Infinite32 "testp.infinite.f32" Float each, "p = a is infinite", (a: f32) -> bool { a.is_infinite() }
        Infinite64 "testp.infinite.f64" Float each, "p = a is infinite", (a: f64) -> bool { a.is_infinite() }
        Number32 "testp.number.f32" Float each, "p = a is not a NaN", (a: f32) -> bool { !a.is_nan() }
        Number64 "testp.number.f64" Float each, "p = a is not a NaN", (a: f64) -> bool { !a.is_nan() }
        NotNumber32 "testp.notanumber.f32" Float each, "p = a is a NaN", (a: f32) -> bool { a.is_nan() }
        NotNumber64 "testp.notanumber.f64" Float each, "p = a is a NaN", (a: f64) -> bool { a.is_nan() }
        Normal32 "testp.normal.f32" Float each, "p = a is normal or zero", (a: f32) -> bool { a.is_normal() || a == 0.0 }
        Normal64 "testp.normal.f64" Float each, "p = a is normal or zero", (a: f64) -> bool { a.is_normal() || a == 0.0 }
        Subnormal32 "testp.subnormal.f32" Float each, "p = a is subnormal", (a: f32) -> bool { a.is_subnormal() }
        Subnormal64 "testp.subnormal.f64" Float each, "p = a is subnormal", (a: f64) -> bool { a.is_subnormal() }
    }
}
