//! Calls: intrinsics, inline PTX, functions.

use super::cursor::{Cursor, Parsed, unescape};
use super::instruction::flags;
use super::reader::Reader;
use super::tree::{Access, Flags, Operation, Value};
use super::types::Type;
use crate::table;

/// Intrinsics that say something to the optimizer and do nothing.
const SILENT: [&str; 7] = [
    "llvm.lifetime.",
    "llvm.assume",
    "llvm.experimental.noalias",
    "llvm.dbg.",
    "llvm.invariant.",
    "llvm.prefetch.",
    "llvm.donothing",
];
/// Intrinsics whose last operand says what is undefined, and not what to compute.
const HINTED: [&str; 3] = ["llvm.abs", "llvm.ctlz", "llvm.cttz"];

impl<'a> Reader<'a> {
    /// Takes a call.
    pub(crate) fn call(&mut self, name: &'a str, at: &mut Cursor<'a>) -> Parsed<()> {
        let flags = flags(at);
        at.attributes_before_type();
        let ty = at.ty(self.named)?;
        if at.peek() == "asm" {
            return self.assembly(name, ty, at);
        }
        if !at.eat("@") {
            return Err("a call through a pointer".into());
        }
        let function = at.name()?;
        if SILENT.iter().any(|silent| function.starts_with(silent)) {
            return Ok(());
        }
        let operands = self.operands(at)?;
        if function.starts_with("llvm.memcpy.") || function.starts_with("llvm.memmove.") {
            return self.copy(&operands, true);
        }
        if function.starts_with("llvm.memset.") {
            return self.copy(&operands, false);
        }
        if function.starts_with("llvm.is.fpclass.") {
            return self.class_test(name, &flat(operands));
        }
        if function.starts_with("llvm.") {
            return self.intrinsic(name, function, flags, &ty, operands);
        }
        let results = self.ids(name, &ty);
        let ty = ty.scalars().collect();
        self.push(results, Operation::Call { function: function.to_owned(), ty, operands: flat(operands) });
        Ok(())
    }

    /// Takes operands in parentheses.
    fn operands(&mut self, at: &mut Cursor<'a>) -> Parsed<Vec<(Type, Vec<Value>)>> {
        at.need("(")?;
        self.aligns.clear();
        let mut operands = Vec::new();
        while !at.eat(")") {
            if at.peek() == "metadata" {
                return Ok(operands);
            }
            let ty = at.ty(self.named)?;
            let said = at.attributes();
            if said.contains("byval(") {
                return Err("a structure as an argument of a call".into());
            }
            let align = said.split_once("align ").and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
            self.aligns.push(align.unwrap_or(1));
            let values = self.values(at, &ty)?;
            operands.push((ty, values));
            at.eat(",");
        }
        Ok(operands)
    }

    /// Appends an intrinsic: the row of its whole name, or of its name without the types at the end.
    fn intrinsic(
        &mut self,
        name: &'a str,
        function: &'a str,
        flags: Flags,
        ty: &Type,
        mut operands: Vec<(Type, Vec<Value>)>,
    ) -> Parsed<()> {
        let mut row = function;
        while let Some((stem, last)) = row.rsplit_once('.') {
            let digits = last.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let is_type = ["i", "f", "p", "v"].iter().any(|kind| last.starts_with(kind)) && !digits.is_empty();
            if !is_type || row.starts_with("llvm.nvvm.") {
                break;
            }
            row = stem;
        }
        if HINTED.contains(&row) {
            operands.truncate(1);
        }
        if matches!(ty, Type::Structure(..) | Type::Void) || !function_is_elementwise(row) {
            let ids = self.ids(name, ty);
            let of = ty.scalars().next().unwrap_or(Type::Void);
            let operands = flat(operands);
            let kind = operands.first().map_or(&of, |(kind, _)| kind);
            let row = table::find(row, kind, &of).ok_or_else(|| format!("`{function}`"))?;
            self.push(ids, Operation::Row { row, flags, ty: of, operands });
            return Ok(());
        }
        let made = self.elementwise(name, row, flags, ty, operands);
        made.map_err(|_| format!("`{function}`"))
    }

    fn copy(&mut self, operands: &[(Type, Vec<Value>)], is_copy: bool) -> Parsed<()> {
        let value = |index: usize| operands.get(index).and_then(|(_, values)| values.first()).cloned();
        let access = |address: Value, align: u64| {
            let ty = Type::Integer(8);
            let order = String::new();
            Access { ty, address, offset: 0, align, volatile: false, order }
        };
        let (Some(to), Some(second), Some(Value::Integer(bytes))) = (value(0), value(1), value(2)) else {
            return Err("a copy of a variable number of bytes".into());
        };
        let set = match &second {
            Value::Integer(set) if !is_copy => *set & 255,
            _ if is_copy => 0,
            _ => return Err("`llvm.memset` of a variable value".into()),
        };
        let from = is_copy.then(|| access(second, self.aligns[1]));
        let to = access(to, self.aligns[0]);
        self.push(Vec::new(), Operation::Copy { to, from, bytes, value: set });
        Ok(())
    }

    fn assembly(&mut self, name: &'a str, ty: Type, at: &mut Cursor<'a>) -> Parsed<()> {
        at.need("asm")?;
        let mut effects = false;
        while ["sideeffect", "alignstack", "inteldialect", "unwind"].iter().any(|word| at.eat(word)) {
            effects = true;
        }
        let text = String::from_utf8_lossy(&unescape(at.quoted()?)).into_owned();
        at.need(",")?;
        let constraints = at.quoted()?.to_owned();
        let operands = flat(self.operands(at)?);
        let results = self.ids(name, &ty);
        let ty = ty.scalars().collect();
        self.push(results, Operation::Assembly { text, constraints, effects, ty, operands });
        Ok(())
    }
}

/// Whether an intrinsic does the same for each element of vectors.
fn function_is_elementwise(row: &str) -> bool {
    !row.starts_with("llvm.nvvm.")
}

/// Returns the scalars of operands.
fn flat(operands: Vec<(Type, Vec<Value>)>) -> Vec<(Type, Value)> {
    let scalars = |(ty, values): (Type, Vec<Value>)| ty.scalars().zip(values);
    operands.into_iter().flat_map(scalars).collect()
}
