//! The instruction set: one table row defines an instruction's spelling, equation and execution.
//!
//! Arithmetic rows ([`integer`], [`logic`], [`compare`], [`float`], [`convert`]) hold their semantics as
//! a function of one lane. Rows of [`memory`] and [`control`] name what the machine does for a whole warp.

pub(crate) mod carry;
pub(crate) mod class;
pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod convert;
mod exact;
pub(crate) mod float;
mod form;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod logic;
pub(crate) mod memory;
pub(crate) mod rounding;

pub(crate) use form::{Form, Modifiers};

use crate::lower::step::Step;
use crate::vector::registers::{Lanes, Registers};
use crate::vector::simd::Simd;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What an instruction does, its operands aside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operation {
    Arithmetic(Arithmetic),
    /// Arithmetic that has the condition code as an operand without a name.
    Carry(carry::Carry),
    Memory(memory::MemoryOperation),
    Control(control::ControlOperation),
}

/// An instruction that works on each lane by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Arithmetic {
    Integer(integer::Integer),
    Logic(logic::Logic),
    Compare(compare::Compare),
    Float(float::Float),
    Rounded(rounding::Rounded),
    Convert(convert::Convert),
    Conversion(convert::Conversion),
    Carry(carry::CarryStep),
    Half(half::Half),
    HalfCompare(half::HalfCompare),
    HalfPair(half::HalfPair),
    Address(memory::Address),
}

/// Executes an instruction for the lanes of several warps.
///
/// One function an instruction and vector extension, found when a launch begins: in one function for all of
/// them, the lane loops are beyond what the compiler takes in reasonable time.
pub(crate) type Handler = fn(Simd, &Step, &mut Registers, &Lanes);

impl Arithmetic {
    /// The function that executes this instruction.
    pub(crate) fn handler(self) -> Handler {
        match self {
            Self::Integer(operation) => operation.handler(),
            Self::Logic(operation) => operation.handler(),
            Self::Compare(operation) => operation.handler(),
            Self::Float(operation) => operation.handler(),
            Self::Convert(operation) => operation.handler(),
            Self::Address(operation) => operation.handler(),
            Self::Rounded(_) => rounding::execute,
            Self::Conversion(_) => convert::execute,
            Self::Carry(_) => carry::execute,
            Self::Half(_) => half::execute,
            Self::HalfCompare(_) => half::execute_compare,
            Self::HalfPair(_) => half::execute_pair,
        }
    }
}

/// An instruction that the emulator executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// How PTX spells it: `[.a|.b]` may stand, one of `{a|b}` must.
    pub spelling: &'static str,
    /// What it does; `d` or `p` is the result, `a`, `b`, `c` are the sources in order.
    pub equation: &'static str,
}

impl From<&Form> for Instruction {
    fn from(form: &Form) -> Self {
        Self { spelling: form.pattern, equation: form.equation }
    }
}

/// Lists the instructions that the emulator executes, in the order of its table.
///
/// A comparison also takes `.and`, `.or` or `.xor` after its operator, and then a predicate as last source.
pub fn instructions() -> impl Iterator<Item = Instruction> {
    forms().map(Instruction::from)
}

/// Returns the row of the table for an opcode with all of its modifiers, such as `fma.rn.ftz.f32`.
#[must_use]
pub fn instruction(opcode: &str) -> Option<Instruction> {
    find(opcode).map(|(form, _)| form.into())
}

/// Every instruction that the emulator executes. The first matching row counts.
pub(crate) fn forms() -> impl Iterator<Item = &'static Form> {
    [
        integer::Integer::FORMS,
        carry::FORMS,
        logic::Logic::FORMS,
        compare::Compare::FORMS,
        float::Float::FORMS,
        rounding::FORMS,
        convert::Convert::FORMS,
        convert::FORMS,
        half::FORMS,
        memory::Address::FORMS,
        memory::FORMS,
        control::FORMS,
    ]
    .into_iter()
    .flatten()
}

static FORMS_BY_NAME: LazyLock<HashMap<&'static str, Vec<&'static Form>>> = LazyLock::new(|| {
    let mut map: HashMap<_, Vec<_>> = HashMap::new();
    for form in forms() {
        map.entry(form.name()).or_default().push(form);
    }
    map
});

/// Returns the row that `opcode` matches, with what it does.
pub(crate) fn find(opcode: &str) -> Option<(&'static Form, Operation)> {
    let mut parts = opcode.split('.');
    let candidates = FORMS_BY_NAME.get(parts.next()?)?;
    let parts: Vec<&str> = parts.collect();
    candidates.iter().find(|form| form.matches(&parts)).map(|&form| (form, (form.build)(&Modifiers(&parts))))
}

/// Defines instructions: name in the table, PTX spelling, equation, and the function of one lane.
///
/// The types of the function's arguments and result say which register files the operands are in.
/// `FMA` is in scope: whether the machine multiplies and adds with one rounding in one instruction.
macro_rules! instruction_family {
    ($(#[$doc:meta])* $family:ident {
        $($variant:ident $pattern:literal, $equation:literal, ($($name:ident: $type:ty),+) -> $result:ty $body:block)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $family {
            $(#[doc = $equation] $variant,)+
        }

        impl $family {
            /// The rows of the table.
            pub(crate) const FORMS: &[$crate::isa::Form] = &[$($crate::isa::Form {
                pattern: $pattern,
                equation: $equation,
                operands: &[
                    <$result as $crate::vector::apply::Lane>::KIND,
                    $(<$type as $crate::vector::apply::Lane>::KIND,)+
                ],
                build: |_| $crate::isa::Operation::Arithmetic($crate::isa::Arithmetic::$family(Self::$variant)),
            }),+];

            /// The function that executes the instruction.
            pub(crate) fn handler(self) -> $crate::isa::Handler {
                match self {
                    $(Self::$variant => |simd, step, registers, lanes| match simd {
                        #[cfg(target_arch = "x86_64")]
                        $crate::vector::simd::Simd::Avx2Fma(token) => token.vectorize(
                            #[inline(always)]
                            || {
                                #[allow(dead_code)]
                                const FMA: bool = true;
                                $crate::isa::apply!(registers, lanes, step, |$($name: $type),+| -> $result $body);
                            },
                        ),
                        $crate::vector::simd::Simd::Baseline => {
                            #[allow(dead_code)]
                            const FMA: bool = cfg!(target_arch = "aarch64");
                            $crate::isa::apply!(registers, lanes, step, |$($name: $type),+| -> $result $body);
                        }
                    },)+
                }
            }
        }
    };
}

/// Calls the lane loop for the number of arguments.
macro_rules! apply {
    ($r:ident, $l:ident, $p:ident, |$a:ident: $ta:ty| -> $result:ty $body:block) => {
        $crate::vector::apply::apply1(
            $r,
            $l,
            &$p.places,
            #[inline(always)]
            |$a: $ta| -> $result { $body },
        )
    };
    ($r:ident, $l:ident, $p:ident, |$a:ident: $ta:ty, $b:ident: $tb:ty| -> $result:ty $body:block) => {
        $crate::vector::apply::apply2(
            $r,
            $l,
            &$p.places,
            #[inline(always)]
            |$a: $ta, $b: $tb| -> $result { $body },
        )
    };
    ($r:ident, $l:ident, $p:ident, |$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty| -> $result:ty $body:block) => {
        $crate::vector::apply::apply3(
            $r,
            $l,
            &$p.places,
            #[inline(always)]
            |$a: $ta, $b: $tb, $c: $tc| -> $result { $body },
        )
    };
    ($r:ident, $l:ident, $p:ident,
     |$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty, $d:ident: $td:ty| -> $result:ty $body:block) => {
        $crate::vector::apply::apply4(
            $r,
            $l,
            &$p.places,
            #[inline(always)]
            |$a: $ta, $b: $tb, $c: $tc, $d: $td| -> $result { $body },
        )
    };
}

pub(crate) use {apply, instruction_family};
