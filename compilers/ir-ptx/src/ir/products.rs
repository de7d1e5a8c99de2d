//! Products of 128 bits, as far as clang writes them for `__mul64hi` and `__umul64hi`: two integers are extended and multiplied,
//! and the high or the low half is taken. Nothing else may have 128 bits.

use super::cursor::{Cursor, Parsed};
use super::instruction::flags;
use super::reader::Reader;
use super::tree::{Flags, Long};
use super::types::Type;

const REFUSED: &str = "the type `i128`";

impl<'a> Reader<'a> {
    /// Takes an instruction on 128 bits behind its name.
    pub(super) fn long(&mut self, name: &'a str, op: &str, at: &mut Cursor<'a>) -> Parsed<()> {
        flags(at);
        let made = match op {
            "zext" | "sext" => {
                let (ty, of) = self.scalar(at)?;
                if ty != Type::Integer(64) {
                    return Err(REFUSED.into());
                }
                Long::Extended { of, signed: op == "sext" }
            }
            "mul" => {
                let a = self.long_operand(at)?;
                let b = self.long_operand(at)?;
                match (a, b) {
                    (Long::Extended { of: a, signed }, Long::Extended { of: b, signed: other }) if signed == other => {
                        Long::Product { a, b, signed }
                    }
                    _ => return Err(REFUSED.into()),
                }
            }
            "lshr" | "ashr" => match (self.long_operand(at)?, at.eat("64")) {
                (Long::Product { a, b, signed }, true) => Long::High { a, b, signed },
                _ => return Err(REFUSED.into()),
            },
            "trunc" => return self.half_of(name, at),
            _ => return Err(REFUSED.into()),
        };
        self.longs.insert(name, made);
        Ok(())
    }

    /// Takes a value of 128 bits by its name, and the comma behind it.
    fn long_operand(&mut self, at: &mut Cursor<'a>) -> Parsed<Long> {
        at.eat("i128");
        let known = if at.eat("%") { self.longs.get(at.name()?).cloned() } else { None };
        at.eat(",");
        known.ok_or_else(|| REFUSED.into())
    }

    /// Takes the cast of a half to an integer of at most 64 bits.
    fn half_of(&mut self, name: &'a str, at: &mut Cursor<'a>) -> Parsed<()> {
        let of = self.long_operand(at)?;
        at.need("to")?;
        let to = at.ty(self.named)?;
        let word = Type::Integer(64);
        let (row, a, b) = match of {
            Long::High { a, b, signed: true } => ("llvm.nvvm.mulhi.ll", a, b),
            Long::High { a, b, signed: false } => ("llvm.nvvm.mulhi.ull", a, b),
            Long::Product { a, b, .. } => ("mul", a, b),
            Long::Extended { .. } => return Err(REFUSED.into()),
        };
        let half = self.made(row, &word, vec![(word.clone(), a), (word.clone(), b)])?;
        let row = if to == word { "copy" } else { "trunc" };
        let id = self.id(name, 0);
        self.row(Some(id), row, Flags::default(), &to, vec![(word, half)])
    }
}
