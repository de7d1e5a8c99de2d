//! Instructions that only move the scalars of vectors and structures. Most of them disappear.

use super::cursor::{Cursor, Parsed};
use super::reader::Reader;
use super::tree::{Operation, Value};
use super::types::Type;

impl<'a> Reader<'a> {
    /// Takes an instruction that makes a value from the scalars of others.
    pub(crate) fn rearrangement(&mut self, name: &'a str, op: &str, at: &mut Cursor<'a>) -> Parsed<()> {
        let (ty, mut values) = self.typed_values(at)?;
        at.need(",")?;
        let picked = match op {
            "extractvalue" => {
                let (start, inner) = field(at, &ty)?;
                let count = inner.parts().len();
                values.drain(start..start + count).zip(inner.parts()).map(|(value, (_, ty))| (ty, value)).collect()
            }
            "insertvalue" => {
                let (_, new) = self.typed_values(at)?;
                at.need(",")?;
                let (start, _) = field(at, &ty)?;
                values.splice(start..start + new.len(), new);
                with_types(&ty, values)
            }
            "extractelement" => {
                let index = self.index(at, values.len())?;
                vec![(part(&ty), values.swap_remove(index))]
            }
            "insertelement" => {
                let (_, new) = self.scalar(at)?;
                at.need(",")?;
                let index = self.index(at, values.len())?;
                values[index] = new;
                with_types(&ty, values)
            }
            _ => {
                let (_, more) = self.typed_values(at)?;
                values.extend(more);
                at.need(",")?;
                let (_, mask) = self.typed_values(at)?;
                let pick = |index: &Value| match index {
                    Value::Integer(index) => values.get(*index as usize).cloned().unwrap_or(Value::Undefined),
                    _ => Value::Undefined,
                };
                mask.iter().map(|index| (part(&ty), pick(index))).collect()
            }
        };
        self.rename(name, picked)
    }

    fn index(&mut self, at: &mut Cursor<'a>, count: usize) -> Parsed<usize> {
        match self.scalar(at)? {
            (_, Value::Integer(index)) if (index as usize) < count => Ok(index as usize),
            _ => Err("an element of a vector by a variable index".into()),
        }
    }

    /// Gives values a name.
    pub(crate) fn rename(&mut self, name: &'a str, values: Vec<(Type, Value)>) -> Parsed<()> {
        for (index, (ty, value)) in values.into_iter().enumerate() {
            let id = self.id(name, index);
            self.row(Some(id), "copy", Default::default(), &ty.clone(), vec![(ty, value)])?;
        }
        Ok(())
    }

    /// Takes a cast that keeps the bits.
    pub(crate) fn bitcast(&mut self, name: &'a str, at: &mut Cursor<'a>) -> Parsed<()> {
        let (from, mut values) = self.typed_values(at)?;
        at.need("to")?;
        let to = at.ty(self.named)?;
        let of = part(&from);
        let into = part(&to);
        let count = values.len();
        let wanted = to.parts().len();
        if count == wanted {
            let row = if of == into { "copy" } else { "bitcast" };
            return self.elementwise(name, row, Default::default(), &to, vec![(from, values)]);
        }
        let mut results = Vec::new();
        if count > wanted {
            for group in values.chunks(count / wanted) {
                let parts = group.iter().map(|value| (of.clone(), value.clone())).collect();
                results.push((into.clone(), self.pack(&into, parts)?));
            }
        } else {
            for value in values.drain(..) {
                let parts = self.unpack(&of, value, &into, wanted / count)?;
                results.extend(parts.into_iter().map(|value| (into.clone(), value)));
            }
        }
        self.rename(name, results)
    }

    /// Makes a value of parts, the low one first.
    fn pack(&mut self, into: &Type, parts: Vec<(Type, Value)>) -> Parsed<Value> {
        if is_pair(into.bits(), parts[0].0.bits(), &parts[0].0) {
            let id = self.fresh();
            self.push(vec![id], Operation::Pack { ty: into.clone(), parts });
            return Ok(Value::Local(id));
        }
        let whole = Type::Integer(into.bits());
        let mut sum = None;
        for (index, (ty, value)) in parts.into_iter().enumerate() {
            let bits = ty.bits();
            let narrow = self.as_integer(&ty, value)?;
            let mut wide = self.made("zext", &whole, vec![narrow])?;
            if index > 0 {
                let by = (whole.clone(), Value::Integer(i64::from(bits) * index as i64));
                wide = self.made("shl", &whole, vec![(whole.clone(), wide), by])?;
            }
            sum = Some(match sum {
                None => wide,
                Some(low) => self.made("or", &whole, vec![(whole.clone(), low), (whole.clone(), wide)])?,
            });
        }
        let sum = sum.unwrap_or(Value::Undefined);
        if *into == whole { Ok(sum) } else { self.made("bitcast", into, vec![(whole, sum)]) }
    }

    /// Takes a value apart, the low part first.
    fn unpack(&mut self, of: &Type, value: Value, into: &Type, count: usize) -> Parsed<Vec<Value>> {
        if is_pair(of.bits(), into.bits(), into) && count == (of.bits() / into.bits()) as usize {
            let ids: Vec<_> = (0..count).map(|_| self.fresh()).collect();
            self.push(ids.clone(), Operation::Unpack { ty: into.clone(), of: (of.clone(), value) });
            return Ok(ids.into_iter().map(Value::Local).collect());
        }
        let (whole, value) = self.as_integer(of, value)?;
        let narrow = Type::Integer(into.bits());
        let mut parts = Vec::new();
        for index in 0..count {
            let by = (whole.clone(), Value::Integer(i64::from(into.bits()) * index as i64));
            let mut part = match index {
                0 => value.clone(),
                _ => self.made("lshr", &whole, vec![(whole.clone(), value.clone()), by])?,
            };
            part = self.made("trunc", &narrow, vec![(whole.clone(), part)])?;
            if *into != narrow {
                part = self.made("bitcast", into, vec![(narrow.clone(), part)])?;
            }
            parts.push(part);
        }
        Ok(parts)
    }

    fn as_integer(&mut self, ty: &Type, value: Value) -> Parsed<(Type, Value)> {
        let whole = Type::Integer(ty.bits());
        if *ty == whole {
            return Ok((whole, value));
        }
        let made = self.made("bitcast", &whole, vec![(ty.clone(), value)])?;
        Ok((whole, made))
    }
}

/// Whether `mov` makes it of two words, or of two numbers of 16 bits.
fn is_pair(whole: u32, part: u32, of: &Type) -> bool {
    (whole, part) == (64, 32) || (whole == 32 && *of == Type::Half)
}

/// Returns the type of the scalars of a vector.
fn part(ty: &Type) -> Type {
    ty.scalars().next().unwrap_or(Type::Void)
}

fn with_types(ty: &Type, values: Vec<Value>) -> Vec<(Type, Value)> {
    ty.scalars().zip(values).collect()
}

/// Takes the indexes of a field; returns the number of its first scalar, and its type.
fn field(at: &mut Cursor, ty: &Type) -> Parsed<(usize, Type)> {
    let mut start = 0;
    let mut ty = ty.clone();
    loop {
        let index = at.number()?;
        start += ty.parts_before(index);
        let Some((_, inner)) = ty.element(index) else { return at.fail("a field") };
        ty = inner;
        if !at.eat(",") {
            return Ok((start, ty));
        }
    }
}
