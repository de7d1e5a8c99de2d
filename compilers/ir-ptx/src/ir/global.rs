//! Variables of the module, and their initial bytes.

use super::constant::constant;
use super::cursor::{Cursor, Parsed, unescape};
use super::tree::{Global, Symbol, Value};
use super::types::Type;
use crate::space::Space;
use std::collections::HashMap;

/// The bytes of a variable so far.
#[derive(Default)]
struct Initial {
    bytes: Vec<u8>,
    pointers: Vec<(usize, Symbol)>,
}

/// Reads a line that begins with `@`; none for a variable that only the compiler uses.
pub(crate) fn global(line: &str, named: &HashMap<String, Type>) -> Parsed<Option<Global>> {
    let mut at = Cursor::new(line);
    at.need("@")?;
    let name = at.name()?.to_owned();
    at.need("=")?;
    if line.contains("section \"llvm.metadata\"") || line.contains("= alias ") {
        return if line.contains("= alias ") { Err("an alias".into()) } else { Ok(None) };
    }
    let mut external = false;
    let mut space = Space::Generic;
    while !at.eat("global") && !at.eat("constant") {
        if at.eat("addrspace(") {
            let number = at.number()? as u32;
            space = Space::from_number(number).ok_or_else(|| format!("`addrspace({number})`"))?;
            at.need(")")?;
        } else if at.peek().is_empty() {
            return at.fail("a variable");
        } else {
            external |= ["external", "extern_weak"].contains(&at.word());
        }
    }
    let ty = at.ty(named)?;
    let mut initial = Initial::default();
    if !external {
        initial.add(&mut at, &ty, named)?;
    }
    let align = line.rsplit_once(", align ").and_then(|(_, rest)| rest.split([',', ' ']).next()?.parse().ok());
    let Initial { bytes, pointers } = initial;
    let is_zero = pointers.is_empty() && bytes.iter().all(|&byte| byte == 0);
    // A variable in the generic space is in global memory.
    let space = if space == Space::Generic { Space::Global } else { space };
    let size = ty.bytes();
    let align = align.unwrap_or(ty.align());
    Ok(Some(Global { name, space, external, bytes: size, align, initial: (!is_zero).then_some(bytes), pointers }))
}

impl Initial {
    /// Takes the initial value of a type.
    fn add(&mut self, at: &mut Cursor, ty: &Type, named: &HashMap<String, Type>) -> Parsed<()> {
        let end = self.bytes.len() + ty.bytes() as usize;
        if at.eat("c\"") {
            let Some((text, rest)) = at.rest.split_once('"') else { return at.fail("a closing quote") };
            self.bytes.extend(unescape(text));
            at.rest = rest;
        } else if matches!(ty, Type::Array(..)) && at.eat("[") {
            while !at.eat("]") {
                let of = at.ty(named)?;
                self.add(at, &of, named)?;
                at.eat(",");
            }
        } else if let (Type::Structure(fields, ..), true) = (ty, at.rest.trim_start().starts_with(['{', '<'])) {
            self.structure(at, fields, named)?;
        } else {
            let start = self.bytes.len();
            for ((offset, part), value) in ty.parts().iter().zip(constant(at, ty, named)?) {
                self.bytes.resize(start + *offset as usize, 0);
                self.scalar(part, value)?;
            }
        }
        self.bytes.resize(end, 0);
        Ok(())
    }

    fn structure(&mut self, at: &mut Cursor, fields: &[(u64, Type)], named: &HashMap<String, Type>) -> Parsed<()> {
        let close = if at.eat("<{") { "}>" } else { "}" };
        at.eat("{");
        let start = self.bytes.len();
        for (offset, _) in fields {
            self.bytes.resize(start + *offset as usize, 0);
            let of = at.ty(named)?;
            self.add(at, &of, named)?;
            at.eat(",");
        }
        at.need(close)
    }

    fn scalar(&mut self, ty: &Type, value: Value) -> Parsed<()> {
        let size = ty.bytes() as usize;
        match (value, ty) {
            (Value::Integer(n), _) => self.bytes.extend_from_slice(&n.to_le_bytes()[..size]),
            (Value::Real(x), Type::Float) => self.bytes.extend_from_slice(&(x as f32).to_le_bytes()),
            (Value::Real(x), Type::Double) => self.bytes.extend_from_slice(&x.to_le_bytes()),
            (Value::Global(symbol), _) => {
                self.pointers.push((self.bytes.len(), symbol));
                self.bytes.extend([0; 8]);
            }
            (Value::Undefined, _) => self.bytes.extend(std::iter::repeat_n(0, size)),
            _ => return Err(format!("an initial value of type `{ty}`")),
        }
        Ok(())
    }
}
