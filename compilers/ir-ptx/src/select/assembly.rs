//! Inline PTX.

use super::selector::{Selected, Selector};
use crate::code::{Class, Operand};
use crate::ir::tree::{Id, Value};
use crate::ir::types::Type;

/// Stands for a dollar sign of the text, where one before a digit is an operand.
pub(crate) const DOLLAR: char = '\u{1}';

impl Selector<'_> {
    /// Selects inline PTX. Operands are numbered as in an instruction: results first.
    pub(super) fn assembly(
        &mut self,
        text: &str,
        constraints: &str,
        effects: bool,
        results: (&[Id], &[Type]),
        operands: &[(Type, Value)],
    ) -> Selected<()> {
        let outputs: Vec<&str> = constraints.split(',').filter(|constraint| constraint.starts_with('=')).collect();
        if text.contains("${") || outputs.iter().any(|output| output.starts_with("=*")) {
            return Err("inline PTX with modified or indirect operands".into());
        }
        let mut list = Vec::new();
        for (&id, ty) in results.0.iter().zip(results.1) {
            list.push(Operand::Register(self.result(id, ty)?));
        }
        for _ in list.len()..outputs.len() {
            list.push(Operand::Register(self.fresh(Class::B32)));
        }
        let count = list.len();
        let inputs = constraints.split(',').skip(outputs.len());
        let mut first = String::new();
        for ((ty, value), constraint) in operands.iter().zip(inputs) {
            let operand = match self.generic_pointer(value, ty)? {
                Operand::Text(_) if constraint != "n" => Operand::Register(self.register(value, ty)?),
                operand => operand,
            };
            if let Some(output) = constraint.parse::<usize>().ok().filter(|&output| output < count) {
                // An input that is also an output: a register that the text overwrites.
                first += &format!("mov.{} ${output}, ${};\n\t", Self::class(ty)?.names().0, list.len());
            }
            list.push(operand);
        }
        let text = first + &text.replace("$$", &DOLLAR.to_string());
        let is_closed = text.trim_end().ends_with([';', '}']);
        self.append(if is_closed { text } else { text + ";" }, count, list, !effects);
        // Outputs may be written before all inputs are read.
        if let Some(inst) = self.blocks[self.block].body.last_mut() {
            inst.early = true;
        }
        Ok(())
    }
}
