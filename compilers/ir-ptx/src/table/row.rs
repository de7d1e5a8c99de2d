//! Rows of the table.

use crate::ir::types::Type;
use std::fmt;

/// A set of types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kinds(u16);

pub(crate) const BIT: Kinds = Kinds(1);
/// Integers of 2 to 31 bits, in a register of 32.
pub(crate) const NARROW: Kinds = Kinds(2);
pub(crate) const WORD: Kinds = Kinds(4);
/// Integers of 33 to 63 bits, in a register of 64.
pub(crate) const ODD: Kinds = Kinds(8);
pub(crate) const LONG: Kinds = Kinds(16);
pub(crate) const HALF: Kinds = Kinds(32);
pub(crate) const FLOAT: Kinds = Kinds(64);
pub(crate) const DOUBLE: Kinds = Kinds(128);
pub(crate) const POINTER: Kinds = Kinds(256);
/// No operand and no result.
pub(crate) const NOTHING: Kinds = Kinds(512);
/// Integers in registers of 32 bits.
pub(crate) const SHORT: Kinds = NARROW.or(WORD);
/// Integers in registers of 64 bits.
pub(crate) const WIDE: Kinds = ODD.or(LONG);
pub(crate) const INTEGER: Kinds = SHORT.or(WIDE);
/// Integers that fill their registers.
pub(crate) const FULL: Kinds = WORD.or(LONG);
pub(crate) const REAL: Kinds = FLOAT.or(DOUBLE);
pub(crate) const REALS: Kinds = HALF.or(REAL);
pub(crate) const ANY: Kinds = Kinds(1023);

impl Kinds {
    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a type is in the set.
    pub(crate) fn contains(self, ty: &Type) -> bool {
        let kind = match ty {
            Type::Integer(1) => BIT,
            Type::Integer(..=31) => NARROW,
            Type::Integer(32) => WORD,
            Type::Integer(33..=63) => ODD,
            Type::Integer(64) => LONG,
            Type::Half => HALF,
            Type::Float => FLOAT,
            Type::Double => DOUBLE,
            Type::Pointer(_) => POINTER,
            Type::Void => NOTHING,
            _ => return false,
        };
        self.0 & kind.0 != 0
    }
}

/// Such as `i1, float`.
impl fmt::Display for Kinds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 10] = ["i1", "i2–i31", "i32", "i33–i63", "i64", "half", "float", "double", "ptr", "—"];
        let names: Vec<&str> = (0..10).filter(|bit| self.0 >> bit & 1 == 1).map(|bit| NAMES[bit]).collect();
        formatter.write_str(if names.len() == 10 { "any" } else { "" })?;
        if names.len() == 10 { Ok(()) } else { formatter.write_str(&names.join(", ")) }
    }
}

/// The side effect of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    None,
    /// Its result depends on the time or on the active threads, so that it stays where it is.
    Here,
    /// It orders the memory accesses of threads, or exchanges values between them.
    Order,
}

/// A line of the table: one row, or several that differ in a part of the name.
///
/// In a name, `<rn|rz>` stands for either, and `<1>` in the PTX for the one that was chosen, the first of several.
///
/// The PTX is one step or several, each with its result first. `$0` is the result, `$1` … are the operands; if there is no
/// result, the operands are from `$0`. `$z1` and `$s1` are an operand that is extended by zeros or by its sign to its register's
/// width. `%r1`, `%d1` and `%p1` are further registers: of 32 bits, of 64, predicates. `{s}`, `{u}`, `{b}` and `{f}` are the type
/// of the first operand as a signed or unsigned integer, as bits and as a real number, and `{S}` … those of the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// The types of the first operand, or else of the result.
    pub(crate) of: Kinds,
    /// The types of the result.
    pub(crate) to: Kinds,
    pub(crate) ptx: &'static str,
    pub(crate) effect: Effect,
    /// Whether the result is the operand, perhaps extended, and takes no instruction.
    pub(crate) is_copy: bool,
}

/// A line that is one row.
pub(crate) type Row = Line;

/// Returns the line of an instruction without effects.
pub(crate) const fn row(name: &'static str, of: Kinds, ptx: &'static str) -> Line {
    Line { name, of, to: ANY, ptx, effect: Effect::None, is_copy: false }
}

/// Returns the line of an instruction whose result is its operand, as the PTX would copy it.
pub(crate) const fn copy(name: &'static str, of: Kinds, ptx: &'static str) -> Line {
    Line { is_copy: true, ..row(name, of, ptx) }
}

impl Line {
    /// Restricts the types of the result.
    pub(crate) const fn to(self, to: Kinds) -> Self {
        Self { to, ..self }
    }

    /// Adds an effect.
    pub(crate) const fn effect(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// Returns the lines of one row each that the line stands for.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut open = vec![(self.name.to_owned(), self.ptx.to_owned(), 1)];
        let mut rows = Vec::new();
        while let Some((name, ptx, number)) = open.pop() {
            let choice = name.split_once('<').and_then(|(before, rest)| Some((before, rest.split_once('>')?)));
            let Some((before, (words, after))) = choice else {
                // The table lives as long as the program.
                let name: &str = Box::leak(name.into());
                let ptx: &str = Box::leak(ptx.into());
                rows.push(Row { name, ptx, ..*self });
                continue;
            };
            for word in words.split('|') {
                let ptx = ptx.replace(&format!("<{number}>"), word);
                open.push((format!("{before}{word}{after}"), ptx, number + 1));
            }
        }
        rows
    }
}
