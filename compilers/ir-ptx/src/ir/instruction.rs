//! Instructions other than calls.

use super::cursor::{Cursor, Parsed};
use super::reader::Reader;
use super::tree::{End, Flags, Operation, Value};
use super::types::{BIT, Type};

const BINARY: [&str; 18] = [
    "add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "sdiv", "udiv", "srem", "urem", "fadd", "fsub",
    "fmul", "fdiv", "frem",
];
const CASTS: [&str; 12] = [
    "zext",
    "sext",
    "trunc",
    "sitofp",
    "uitofp",
    "fptosi",
    "fptoui",
    "fpext",
    "fptrunc",
    "ptrtoint",
    "inttoptr",
    "addrspacecast",
];
/// Instructions that end a block.
pub(crate) const ENDS: [&str; 4] = ["ret", "br", "switch", "unreachable"];

/// Takes the flags of an instruction.
pub(crate) fn flags(at: &mut Cursor) -> Flags {
    let mut flags = Flags::default();
    loop {
        match at.peek() {
            "nsw" => flags.nsw = true,
            "nuw" => flags.nuw = true,
            "nneg" => flags.nneg = true,
            "disjoint" => flags.disjoint = true,
            "contract" => flags.contract = true,
            "afn" => flags.afn = true,
            "fast" => (flags.contract, flags.afn) = (true, true),
            "nnan" | "ninf" | "nsz" | "arcp" | "reassoc" | "exact" | "samesign" | "inbounds" | "nusw" => {}
            _ => return flags,
        }
        at.word();
    }
}

impl<'a> Reader<'a> {
    /// Takes an instruction behind `%name =`, or one without a result.
    pub(crate) fn instruction(&mut self, name: Option<&'a str>, at: &mut Cursor<'a>) -> Parsed<()> {
        while ["tail", "notail", "musttail"].iter().any(|word| at.eat(word)) {}
        let op = at.word();
        let name = name.unwrap_or_default();
        if at.rest.split([' ', ',']).any(|word| word == "i128") && (BINARY.contains(&op) || CASTS.contains(&op)) {
            return self.long(name, op, at);
        }
        match op {
            "fneg" | "freeze" => {
                let flags = flags(at);
                let (ty, values) = self.typed_values(at)?;
                self.elementwise(name, op, flags, &ty, vec![(ty.clone(), values)])
            }
            "icmp" | "fcmp" => self.comparison(name, op, at),
            "select" => self.selection(name, at),
            "bitcast" => self.bitcast(name, at),
            "getelementptr" => self.address(name, at),
            "load" | "store" | "atomicrmw" | "cmpxchg" | "fence" | "alloca" => self.memory(name, op, at),
            "phi" => self.phi(name, at),
            "extractvalue" | "insertvalue" | "extractelement" | "insertelement" | "shufflevector" => {
                self.rearrangement(name, op, at)
            }
            "call" => self.call(name, at),
            _ if BINARY.contains(&op) => {
                let flags = flags(at);
                let (ty, a) = self.typed_values(at)?;
                at.need(",")?;
                let b = self.values(at, &ty)?;
                self.elementwise(name, op, flags, &ty, vec![(ty.clone(), a), (ty.clone(), b)])
            }
            _ if CASTS.contains(&op) => {
                let flags = flags(at);
                let (from, values) = self.typed_values(at)?;
                at.need("to")?;
                let to = at.ty(self.named)?;
                self.elementwise(name, op, flags, &to, vec![(from, values)])
            }
            _ => Err(format!("`{op}`")),
        }
    }

    /// Appends a row for each scalar of the operands.
    pub(crate) fn elementwise(
        &mut self,
        name: &'a str,
        row: &str,
        flags: Flags,
        ty: &Type,
        operands: Vec<(Type, Vec<Value>)>,
    ) -> Parsed<()> {
        for (index, (_, part)) in ty.parts().iter().enumerate() {
            let of_part = |(ty, values): &(Type, Vec<Value>)| match ty.parts().get(index) {
                // One condition or flag may be for all.
                Some((_, part)) if values.len() > 1 => Some((part.clone(), values[index].clone())),
                _ => Some((ty.parts().first()?.1.clone(), values.first()?.clone())),
            };
            let id = self.id(name, index);
            self.row(Some(id), row, flags, part, operands.iter().filter_map(of_part).collect())?;
        }
        Ok(())
    }

    fn comparison(&mut self, name: &'a str, op: &str, at: &mut Cursor<'a>) -> Parsed<()> {
        flags(at);
        let row = format!("{op} {}", at.word());
        let (ty, a) = self.typed_values(at)?;
        at.need(",")?;
        let b = self.values(at, &ty)?;
        let result = match &ty {
            Type::Vector(count, _) => Type::Vector(*count, BIT.into()),
            _ => BIT,
        };
        self.elementwise(name, &row, Flags::default(), &result, vec![(ty.clone(), a), (ty, b)])
    }

    fn selection(&mut self, name: &'a str, at: &mut Cursor<'a>) -> Parsed<()> {
        let flags = flags(at);
        let condition = self.typed_values(at)?;
        at.need(",")?;
        let a = self.typed_values(at)?;
        at.need(",")?;
        let b = self.typed_values(at)?;
        let ty = a.0.clone();
        // The kind of the first operand chooses the row.
        self.elementwise(name, "select", flags, &ty, vec![a, b, condition])
    }

    fn address(&mut self, name: &'a str, at: &mut Cursor<'a>) -> Parsed<()> {
        at.element_flags();
        let mut ty = at.ty(self.named)?;
        at.need(",")?;
        let (_, base) = self.scalar(at)?;
        let mut offset = 0;
        let mut terms = Vec::new();
        let mut step = ty.bytes();
        let mut first = true;
        while at.eat(",") {
            let (of, index) = self.scalar(at)?;
            if !first {
                let field = match &index {
                    Value::Integer(field) if matches!(ty, Type::Structure(..)) => ty.element(*field as u64),
                    _ => None,
                };
                if let Some((bytes, inner)) = field {
                    offset += bytes as i64;
                    ty = inner;
                    continue;
                }
                let Some((_, inner)) = ty.element(0) else { return at.fail("an index into an array") };
                (step, ty) = (inner.bytes(), inner);
            }
            first = false;
            match index {
                Value::Integer(n) => offset += n * step as i64,
                index if [32, 64].contains(&of.bits()) => terms.push((step as i64, index, of)),
                _ => return Err(format!("an index of type `{of}`")),
            }
        }
        let id = self.id(name, 0);
        self.push(vec![id], Operation::Element { base, offset, terms });
        Ok(())
    }

    fn phi(&mut self, name: &'a str, at: &mut Cursor<'a>) -> Parsed<()> {
        flags(at);
        let ty = at.ty(self.named)?;
        let parts = ty.parts();
        let mut from = vec![Vec::new(); parts.len()];
        while at.eat("[") {
            let values = self.values(at, &ty)?;
            at.need(",")?;
            let block = self.target(at)?;
            at.need("]")?;
            at.eat(",");
            from.iter_mut().zip(values).for_each(|(from, value)| from.push((value, block)));
        }
        for (index, ((_, ty), from)) in parts.into_iter().zip(from).enumerate() {
            let id = self.id(name, index);
            self.push(vec![id], Operation::Phi { ty, from });
        }
        Ok(())
    }

    /// Takes the end of a block.
    pub(crate) fn end(&mut self, at: &mut Cursor<'a>) -> Parsed<End> {
        match at.word() {
            "unreachable" => Ok(End::Unreachable),
            "ret" => {
                let ty = at.ty(self.named)?;
                if ty == Type::Void {
                    return Ok(End::Return(Vec::new()));
                }
                let values = self.values(at, &ty)?;
                Ok(End::Return(ty.scalars().zip(values).collect()))
            }
            "br" if at.peek() == "label" => Ok(End::Jump(self.target(at)?)),
            "br" => {
                let (_, condition) = self.scalar(at)?;
                at.need(",")?;
                let yes = self.target(at)?;
                at.need(",")?;
                Ok(End::Branch(condition, yes, self.target(at)?))
            }
            _ => {
                let (ty, value) = self.scalar(at)?;
                at.need(",")?;
                let default = self.target(at)?;
                at.need("[")?;
                let mut cases = Vec::new();
                while !at.eat("]") {
                    let (_, Value::Integer(case)) = self.scalar(at)? else { return at.fail("an integer") };
                    at.need(",")?;
                    cases.push((case, self.target(at)?));
                }
                Ok(End::Switch { ty, value, default, cases })
            }
        }
    }
}
