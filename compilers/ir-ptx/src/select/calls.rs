//! Calls of functions, and their results.

use super::selector::{Selected, Selector};
use crate::address::terms::symbol;
use crate::code::{Class, Operand};
use crate::ir::tree::{Id, Value};
use crate::ir::types::{BIT, Type};

/// Returns the type of a parameter or result of a function: narrow integers have 32 bits.
pub(crate) fn parameter_type(ty: &Type) -> String {
    format!("b{}", if *ty == Type::Half { 16 } else { ty.bits().max(32).next_multiple_of(32) })
}

impl Selector<'_> {
    /// Selects a call.
    pub(super) fn call(&mut self, function: &str, ids: &[Id], ty: &[Type], operands: &[(Type, Value)]) -> Selected<()> {
        if ty.len() > 1 {
            return Err(format!("the result of `{function}`, which is a structure,"));
        }
        let mut list = Vec::new();
        for (&id, ty) in ids.iter().zip(ty) {
            let to = if *ty == BIT { self.fresh(Class::B32) } else { self.result(id, ty)? };
            list.push(Operand::Register(to));
        }
        let results = list.len();
        let name = symbol(function);
        let mut text = "{".to_owned();
        let mut names = Vec::new();
        for (number, (ty, value)) in operands.iter().enumerate() {
            let kind = parameter_type(ty);
            list.push(self.pass(value, ty)?);
            text += &format!(
                "\n\t.param .{kind} argument{number};\n\tst.param.{kind} [argument{number}], ${};",
                list.len() - 1
            );
            names.push(format!("argument{number}"));
        }
        let arguments = names.join(", ");
        match ty.first() {
            None => text += &format!("\n\tcall.uni {name}, ({arguments});"),
            Some(ty) => {
                let kind = parameter_type(ty);
                text += &format!("\n\t.param .{kind} answer;\n\tcall.uni (answer), {name}, ({arguments});");
                text += &format!("\n\tld.param.{kind} $0, [answer];");
            }
        }
        let word = list.first().cloned();
        self.push(text + "\n\t}", results, list);
        if let (Some(&BIT), Some(word), [id]) = (ty.first(), word, ids) {
            let to = self.result(*id, &BIT)?;
            self.make("setp.ne.b32", to, &[word, Operand::text("0")]);
        }
        Ok(())
    }

    /// Returns a value as it is passed: a condition as a number.
    fn pass(&mut self, value: &Value, ty: &Type) -> Selected<Operand> {
        let operand = self.generic_pointer(value, ty)?;
        if *ty != BIT {
            return Ok(operand);
        }
        let number = [Operand::text("1"), Operand::text("0"), operand];
        Ok(Operand::Register(self.made("selp.b32", Class::B32, &number)))
    }

    /// Selects the result of a function that is not a kernel.
    pub(super) fn answer(&mut self, values: &[(Type, Value)]) -> Selected<()> {
        let [(ty, value)] = values else {
            return if values.is_empty() { Ok(()) } else { Err("a result that is a structure".into()) };
        };
        let operand = self.pass(value, ty)?;
        let name = symbol(&self.facts.function.name);
        self.push(format!("st.param.{} [{name}_result], $0;", parameter_type(ty)), 0, vec![operand]);
        Ok(())
    }
}
