//! Arithmetic and comparison of integers, and what is done with any type.

use super::row::{ANY, BIT, FULL, HALF, INTEGER, LONG, Line, NARROW, POINTER, SHORT, WORD, row};

pub(super) const ROWS: &[Line] = &[
    row("add", INTEGER, "add.{s} $0, $1, $2"),
    row("sub", INTEGER, "sub.{s} $0, $1, $2"),
    row("mul", INTEGER, "mul.lo.{s} $0, $1, $2"),
    row("sdiv", INTEGER, "div.{s} $0, $s1, $s2"),
    row("udiv", INTEGER, "div.{u} $0, $z1, $z2"),
    row("srem", INTEGER, "rem.{s} $0, $s1, $s2"),
    row("urem", INTEGER, "rem.{u} $0, $z1, $z2"),
    row("shl", INTEGER, "shl.{b} $0, $1, $z2"),
    row("lshr", INTEGER, "shr.{u} $0, $z1, $z2"),
    row("ashr", INTEGER, "shr.{s} $0, $s1, $z2"),
    row("and", INTEGER, "and.{b} $0, $1, $2"),
    row("or", INTEGER, "or.{b} $0, $1, $2"),
    row("xor", INTEGER, "xor.{b} $0, $1, $2"),
    // Modulo 2, a sum and a difference are an exclusive or, and a product is an and.
    row("<and|or|xor>", BIT, "<1>.pred $0, $1, $2"),
    row("<add|sub>", BIT, "xor.pred $0, $1, $2"),
    row("mul", BIT, "and.pred $0, $1, $2"),
    row("not", BIT, "not.pred $0, $1"),
    row("not", INTEGER, "not.{b} $0, $1"),
    row("icmp <eq|ne>", INTEGER, "setp.<1>.{b} $0, $z1, $z2"),
    row("icmp <eq|ne>", POINTER, "setp.<1>.{b} $0, $1, $2"),
    row("icmp s<lt|le|gt|ge>", INTEGER, "setp.<1>.{s} $0, $s1, $s2"),
    row("icmp u<lt|le|gt|ge>", INTEGER, "setp.<1>.{u} $0, $z1, $z2"),
    row("icmp u<lt|le|gt|ge>", POINTER, "setp.<1>.{u} $0, $1, $2"),
    row("icmp ne", BIT, "xor.pred $0, $1, $2"),
    row("icmp eq", BIT, "xor.pred %p1, $1, $2; not.pred $0, %p1"),
    row("select", BIT, "not.pred %p1, $3; and.pred %p2, $3, $1; and.pred %p3, %p1, $2; or.pred $0, %p2, %p3"),
    row("select", HALF, "selp.b16 $0, $1, $2, $3"),
    row("select", ANY, "selp.{b} $0, $1, $2, $3"),
    row("copy", ANY, "mov.{b} $0, $1"),
    row("freeze", ANY, "mov.{b} $0, $1"),
    row("llvm.s<min|max>", INTEGER, "<1>.{s} $0, $s1, $s2"),
    row("llvm.u<min|max>", INTEGER, "<1>.{u} $0, $z1, $z2"),
    row("llvm.abs", INTEGER, "abs.{s} $0, $s1"),
    row("llvm.ctpop", SHORT, "popc.b32 $0, $z1"),
    row("llvm.ctpop", LONG, "popc.b64 %r1, $1; cvt.u64.u32 $0, %r1"),
    row("llvm.ctlz", WORD, "clz.b32 $0, $1"),
    row("llvm.ctlz", LONG, "clz.b64 %r1, $1; cvt.u64.u32 $0, %r1"),
    row("llvm.cttz", WORD, "brev.b32 %r1, $1; clz.b32 $0, %r1"),
    row("llvm.cttz", LONG, "brev.b64 %d1, $1; clz.b64 %r1, %d1; cvt.u64.u32 $0, %r1"),
    row("llvm.bitreverse", FULL, "brev.{b} $0, $1"),
    row("llvm.bswap", WORD, "prmt.b32 $0, $1, 0, 291"),
    row("llvm.fshl", WORD, "shf.l.wrap.b32 $0, $2, $1, $3"),
    row("llvm.fshr", WORD, "shf.r.wrap.b32 $0, $2, $1, $3"),
    // The shift that is its complement is made of two, since a shift by 64 would be none.
    row(
        "llvm.fshl",
        LONG,
        "cvt.u32.u64 %r1, $3; and.b32 %r2, %r1, 63; xor.b32 %r3, %r2, 63; shl.b64 %d1, $1, %r2; shr.u64 %d2, $2, 1; \
         shr.u64 %d3, %d2, %r3; or.b64 $0, %d1, %d3",
    ),
    row(
        "llvm.fshr",
        LONG,
        "cvt.u32.u64 %r1, $3; and.b32 %r2, %r1, 63; xor.b32 %r3, %r2, 63; shr.u64 %d1, $2, %r2; shl.b64 %d2, $1, 1; \
         shl.b64 %d3, %d2, %r3; or.b64 $0, %d1, %d3",
    ),
    row("llvm.usub.sat", WORD, "max.u32 %r1, $1, $2; sub.s32 $0, %r1, $2"),
    row("llvm.usub.sat", LONG, "max.u64 %d1, $1, $2; sub.s64 $0, %d1, $2"),
    row("llvm.usub.sat", NARROW, "max.u32 %r1, $z1, $z2; sub.s32 $0, %r1, $z2"),
    row("llvm.uadd.sat", WORD, "not.b32 %r1, $2; min.u32 %r2, $1, %r1; add.s32 $0, %r2, $2"),
    row("llvm.uadd.sat", LONG, "not.b64 %d1, $2; min.u64 %d2, $1, %d1; add.s64 $0, %d2, $2"),
    row("llvm.sadd.sat", WORD, "add.sat.s32 $0, $1, $2"),
    row("llvm.ssub.sat", WORD, "sub.sat.s32 $0, $1, $2"),
    row("llvm.uadd.with.overflow", WORD, "add.s32 %r1, $2, $3; setp.lt.u32 $1, %r1, $2; mov.b32 $0, %r1"),
    row("llvm.uadd.with.overflow", LONG, "add.s64 %d1, $2, $3; setp.lt.u64 $1, %d1, $2; mov.b64 $0, %d1"),
    row("llvm.usub.with.overflow", FULL, "setp.lt.{u} $1, $2, $3; sub.{s} $0, $2, $3"),
    row("llvm.umul.with.overflow", WORD, "mul.hi.u32 %r1, $2, $3; setp.ne.b32 $1, %r1, 0; mul.lo.s32 $0, $2, $3"),
    row("llvm.umul.with.overflow", LONG, "mul.hi.u64 %d1, $2, $3; setp.ne.b64 $1, %d1, 0; mul.lo.s64 $0, $2, $3"),
    row(
        "llvm.scmp",
        INTEGER,
        "setp.gt.{s} %p1, $s1, $s2; selp.b32 %r1, 1, 0, %p1; setp.lt.{s} %p2, $s1, $s2; \
         selp.b32 $0, -1, %r1, %p2",
    )
    .to(SHORT),
    row(
        "llvm.ucmp",
        INTEGER,
        "setp.gt.{u} %p1, $z1, $z2; selp.b32 %r1, 1, 0, %p1; setp.lt.{u} %p2, $z1, $z2; \
         selp.b32 $0, -1, %r1, %p2",
    )
    .to(SHORT),
];
