//! Copies of bytes, and bytes that are set: in the largest pieces that the alignment allows.

use super::selector::{Selected, Selector};
use crate::code::{Class, Operand, Register};
use crate::ir::tree::Access;
use crate::ir::types::Type;

/// The most bytes that are copied without a loop.
const MAX_BYTES: i64 = 1024;

impl Selector<'_> {
    /// Selects a copy, or a setting of bytes without `from`.
    pub(super) fn copy(&mut self, to: &Access, from: Option<&Access>, bytes: i64, value: i64) -> Selected<()> {
        if bytes > MAX_BYTES {
            return Err(format!("a copy of {bytes} bytes at once"));
        }
        let align = from.map_or(to.align, |from| from.align.min(to.align)) as i64;
        // Everything is read before anything is written, since they may overlap.
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < bytes {
            let size = [8, 4, 2, 1].into_iter().find(|size| align % size == 0 && at + size <= bytes).unwrap_or(1);
            let operand = match from {
                Some(from) => Operand::Register(self.piece(from, at, size)?),
                None => Operand::text((0..size).fold(0_i64, |word, _| word << 8 | value).to_string()),
            };
            pieces.push((at, size, operand));
            at += size;
        }
        for (at, size, operand) in pieces {
            let address = self.address_of(to).plus(at);
            let (bracket, plus) = self.bracket(&address)?;
            let space = address.space.modifier();
            let ty = kind(size);
            self.push(format!("st{space}.{ty} [$0{plus}], $1;"), 0, vec![bracket, operand]);
        }
        Ok(())
    }

    fn piece(&mut self, from: &Access, at: i64, size: i64) -> Selected<Register> {
        let address = self.address_of(from).plus(at);
        let (bracket, plus) = self.bracket(&address)?;
        let to = self.fresh(if size == 8 { Class::B64 } else { Class::B32 });
        let space = address.space.modifier();
        let ty = kind(size);
        self.append(format!("ld{space}.{ty} $0, [$1{plus}];"), 1, vec![Operand::Register(to), bracket], true);
        Ok(to)
    }
}

fn kind(size: i64) -> String {
    let ty = Type::Integer(size as u32 * 8);
    if size < 4 { format!("u{}", ty.bits()) } else { format!("b{}", ty.bits()) }
}
