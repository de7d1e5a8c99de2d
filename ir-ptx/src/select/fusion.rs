//! Which multiplications become a part of an addition, as LLVM's back end for PTX decides it, so that results have the same
//! bits: both need the flag `contract` and are in one block. Additions are visited from the last to the first. Of two
//! products, that with fewer uses is fused, and the first if they have as many.

use super::rows::suffix;
use super::selector::{Selected, Selector};
use crate::facts::Facts;
use crate::ir::tree::{Block, End, Id, Instruction, Operation, Value};
use crate::ir::types::Type;
use std::collections::HashMap;

/// `x * y + z` instead of a sum or difference of a product and `z`.
#[derive(Clone, Debug)]
pub(super) struct Fusion {
    x: Value,
    y: Value,
    z: Value,
    /// Whether the product is subtracted.
    minus_product: bool,
    /// Whether `z` is subtracted.
    minus_z: bool,
}

/// Returns the fusions of a function, by the result of the addition.
pub(super) fn fusions(facts: &Facts) -> HashMap<Id, Fusion> {
    let mut fusions = HashMap::new();
    let outside = used_outside(facts);
    for (at, block) in facts.function.blocks.iter().enumerate() {
        let mut uses = uses_within(block);
        outside.iter().enumerate().filter(|(_, outside)| **outside).for_each(|(id, _)| *uses.entry(id).or_insert(0) += 1);
        for inst in block.body.iter().rev() {
            if let Some((id, fusion)) = fusion(facts, inst, at, &mut uses) {
                fusions.insert(id, fusion);
            }
        }
    }
    fusions
}

/// Calls `action` for each local operand of an instruction.
pub(super) fn each_use(inst: &Instruction, action: &mut dyn FnMut(Id)) {
    let mut value = |value: &Value| {
        if let Value::Local(id) = value {
            action(*id);
        }
    };
    match &inst.operation {
        Operation::Row { operands, .. } | Operation::Call { operands, .. } | Operation::Assembly { operands, .. } => {
            operands.iter().for_each(|(_, operand)| value(operand));
        }
        Operation::Pack { parts, .. } => parts.iter().for_each(|(_, part)| value(part)),
        Operation::Unpack { of, .. } => value(&of.1),
        Operation::Store(_, stored) => value(stored),
        Operation::Atomic { value: operand, .. } => value(operand),
        Operation::Exchange { expected, new, .. } => {
            value(expected);
            value(new);
        }
        Operation::Element { terms, .. } => terms.iter().for_each(|(_, index, _)| value(index)),
        _ => {}
    }
}

fn uses_within(block: &Block) -> HashMap<Id, usize> {
    let mut uses = HashMap::new();
    block.body.iter().for_each(|inst| each_use(inst, &mut |id| *uses.entry(id).or_insert(0) += 1));
    uses
}

/// Returns for each value whether another block needs it, or a phi.
fn used_outside(facts: &Facts) -> Vec<bool> {
    let mut outside = vec![false; facts.function.ids];
    for (at, block) in facts.function.blocks.iter().enumerate() {
        for inst in &block.body {
            each_use(inst, &mut |id| outside[id] |= facts.home(id) != at);
            if let Operation::Phi { from, .. } = &inst.operation {
                from.iter().for_each(|(value, _)| {
                    if let Value::Local(id) = value {
                        outside[*id] = true;
                    }
                });
            }
        }
        if let End::Branch(Value::Local(id), ..) = &block.end {
            outside[*id] = true;
        }
    }
    outside
}

fn fusion(facts: &Facts, inst: &Instruction, block: usize, uses: &mut HashMap<Id, usize>) -> Option<(Id, Fusion)> {
    let Operation::Row { row, flags, operands, .. } = &inst.operation else { return None };
    let (true, [(_, a), (_, b)], &[id]) = (flags.contract, &operands[..], &inst.results[..]) else { return None };
    let is_sum = row.name == "fadd";
    if !is_sum && row.name != "fsub" {
        return None;
    }
    let product = |value: &Value| {
        let Value::Local(of) = value else { return None };
        let made = facts.made(value).filter(|made| made.name == "fmul" && made.flags.contract)?;
        let [(_, x), (_, y)] = made.operands else { return None };
        (facts.home(*of) == block).then(|| (*of, x.clone(), y.clone()))
    };
    let (first, second) = (product(a), product(b));
    let count = |of: &Option<(Id, Value, Value)>| of.as_ref().map_or(usize::MAX, |(of, ..)| uses[of]);
    let is_first = first.is_some() && count(&first) <= count(&second);
    let ((of, x, y), z) = if is_first { (first?, b) } else { (second?, a) };
    let mut change = |value: &Value, by: isize| {
        if let Value::Local(id) = value {
            let count = uses.entry(*id).or_insert(0);
            *count = count.saturating_add_signed(by);
        }
    };
    [&x, &y].into_iter().for_each(|value| change(value, 1));
    change(&Value::Local(of), -1);
    if uses[&of] == 0 {
        [&x, &y].into_iter().for_each(|value| {
            if let Value::Local(id) = value {
                *uses.entry(*id).or_insert(1) -= 1;
            }
        });
    }
    let z = z.clone();
    Some((id, Fusion { x, y, z, minus_product: !is_sum && !is_first, minus_z: !is_sum && is_first }))
}

impl Selector<'_> {
    /// Selects a fused multiplication and addition.
    pub(super) fn fused(&mut self, id: Id, ty: &Type) -> Selected<()> {
        let Fusion { x, y, z, minus_product, minus_z } = self.fusions[&id].clone();
        // A constant is negated at once.
        let (x, y) = if matches!(y, Value::Real(_)) { (y, x) } else { (x, y) };
        let x = if minus_product { self.negative(&x, ty)? } else { self.operand(&x, ty)? };
        let y = self.operand(&y, ty)?;
        let z = if minus_z { self.negative(&z, ty)? } else { self.operand(&z, ty)? };
        let to = self.result(id, ty)?;
        self.make(&format!("fma.rn.{}", suffix(ty, 'f')), to, &[x, y, z]);
        Ok(())
    }
}
