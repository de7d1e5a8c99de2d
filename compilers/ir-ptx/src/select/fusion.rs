//! Which multiplications become a part of an addition, as LLVM's back end for PTX decides it, so that results have the same
//! bits. Both need the flag `contract`.
//!
//! First, an addition takes a product that nothing else needs, wherever that is: its first operand if it can, else its second.
//! Then it takes products of its own block. Additions are visited from the last to the first; of two products, that with fewer
//! uses is taken, and the first if they have as many.

use crate::facts::Facts;
use crate::ir::tree::{Block, End, Id, Instruction, Operation, Value};
use crate::ir::types::Type;
use std::collections::{HashMap, HashSet};

/// `x * y + z` instead of a sum or difference of a product and `z`.
#[derive(Clone, Debug)]
pub(super) struct Fusion {
    pub(super) x: Value,
    pub(super) y: Value,
    pub(super) z: Value,
    /// Whether the product is subtracted.
    pub(super) minus_product: bool,
    /// Whether `z` is subtracted.
    pub(super) minus_z: bool,
}

/// A product that may be fused.
struct Product {
    id: Id,
    x: Value,
    y: Value,
}

/// The decisions so far.
struct Decisions<'f, 'a> {
    facts: &'f Facts<'a>,
    fusions: HashMap<Id, Fusion>,
    /// Products that are parts of additions alone.
    gone: HashSet<Id>,
}

/// Returns the fusions of a function, by the result of the addition.
pub(super) fn fusions(facts: &Facts) -> HashMap<Id, Fusion> {
    let mut decisions = Decisions { facts, fusions: HashMap::new(), gone: HashSet::new() };
    decisions.single_uses();
    let outside = decisions.used_outside();
    for (at, block) in facts.function.blocks.iter().enumerate() {
        decisions.within(at, block, &outside);
    }
    decisions.fusions
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

/// Adds a use to each local value.
fn count<'v>(uses: &mut HashMap<Id, usize>, values: impl IntoIterator<Item = &'v Value>) {
    for value in values {
        if let Value::Local(id) = value {
            *uses.entry(*id).or_insert(0) += 1;
        }
    }
}

/// Removes a use of each local value.
fn discount<'v>(uses: &mut HashMap<Id, usize>, values: impl IntoIterator<Item = &'v Value>) {
    for value in values {
        if let Value::Local(id) = value
            && let Some(uses) = uses.get_mut(id)
        {
            *uses = uses.saturating_sub(1);
        }
    }
}

impl Decisions<'_, '_> {
    /// Calls `action` for each local operand of an instruction, as it is decided so far.
    fn each_use(&self, inst: &Instruction, action: &mut dyn FnMut(Id)) {
        let id = inst.results.first().copied().unwrap_or(usize::MAX);
        if self.gone.contains(&id) {
            return;
        }
        let Some(Fusion { x, y, z, .. }) = self.fusions.get(&id) else { return each_use(inst, action) };
        for value in [x, y, z] {
            if let Value::Local(id) = value {
                action(*id);
            }
        }
    }

    /// Returns the product that a value is, if an addition may take it.
    fn product(&self, value: &Value) -> Option<Product> {
        let Value::Local(id) = value else { return None };
        let made = self.facts.made(value).filter(|made| made.name == "fmul" && made.flags.contract)?;
        let [(_, x), (_, y)] = made.operands else { return None };
        Some(Product { id: *id, x: x.clone(), y: y.clone() })
    }

    /// Takes products with one use.
    fn single_uses(&mut self) {
        let mut uses = HashMap::new();
        for block in &self.facts.function.blocks {
            for inst in &block.body {
                each_use(inst, &mut |id| *uses.entry(id).or_insert(0) += 1);
                if let Operation::Phi { from, .. } = &inst.operation {
                    count(&mut uses, from.iter().map(|(value, _)| value));
                }
            }
            if let End::Return(values) = &block.end {
                count(&mut uses, values.iter().map(|(_, value)| value));
            }
        }
        for inst in self.facts.function.blocks.iter().flat_map(|block| &block.body) {
            let Some((id, is_sum, [a, b], ty)) = addition(inst) else { continue };
            let single = |product: &Product| uses[&product.id] == 1 && *ty != Type::Half;
            let first = self.product(a).filter(single);
            let second = self.product(b).filter(single);
            let is_first = first.is_some();
            if let Some(product) = first.or(second) {
                self.gone.insert(product.id);
                self.take(id, product, is_sum, is_first, if is_first { b } else { a });
            }
        }
    }

    fn take(&mut self, id: Id, Product { x, y, .. }: Product, is_sum: bool, is_first: bool, z: &Value) {
        let minus_product = !is_sum && !is_first;
        let minus_z = !is_sum && is_first;
        self.fusions.insert(id, Fusion { x, y, z: z.clone(), minus_product, minus_z });
    }

    /// Returns for each value whether another block needs it, or a phi.
    fn used_outside(&self) -> Vec<bool> {
        let mut outside = vec![false; self.facts.function.ids];
        for (at, block) in self.facts.function.blocks.iter().enumerate() {
            for inst in &block.body {
                self.each_use(inst, &mut |id| outside[id] |= self.facts.home(id) != at);
                let Operation::Phi { from, .. } = &inst.operation else { continue };
                for (value, _) in from {
                    if let Value::Local(id) = value {
                        outside[*id] = true;
                    }
                }
            }
            if let End::Branch(Value::Local(id), ..) = &block.end {
                outside[*id] = true;
            }
        }
        outside
    }

    /// Takes products of the block of an addition.
    fn within(&mut self, at: usize, block: &Block, outside: &[bool]) {
        let mut uses = HashMap::new();
        block.body.iter().for_each(|inst| self.each_use(inst, &mut |id| *uses.entry(id).or_insert(0) += 1));
        // A value that leaves the block is used once by that.
        (0..outside.len()).filter(|&id| outside[id]).for_each(|id| *uses.entry(id).or_insert(0) += 1);
        for inst in block.body.iter().rev() {
            let Some((id, is_sum, [a, b], _)) = addition(inst).filter(|(id, ..)| !self.fusions.contains_key(id)) else {
                continue;
            };
            let is_here = |product: &Product| self.facts.home(product.id) == at;
            let first = self.product(a).filter(is_here);
            let second = self.product(b).filter(is_here);
            let uses_of = |product: &Option<Product>| product.as_ref().map_or(usize::MAX, |product| uses[&product.id]);
            let is_first = first.is_some() && uses_of(&first) <= uses_of(&second);
            let Some(product) = (if is_first { first } else { second }) else { continue };
            count(&mut uses, [&product.x, &product.y]);
            discount(&mut uses, [&Value::Local(product.id)]);
            if uses[&product.id] == 0 {
                discount(&mut uses, [&product.x, &product.y]);
            }
            self.take(id, product, is_sum, is_first, if is_first { b } else { a });
        }
    }
}

/// Returns the result of an addition or subtraction that may be fused, whether it is a sum, its operands and its type.
fn addition(inst: &Instruction) -> Option<(Id, bool, [&Value; 2], &Type)> {
    let Operation::Row { row, flags, operands, ty } = &inst.operation else { return None };
    let ([(_, a), (_, b)], &[id], true) = (&operands[..], &inst.results[..], flags.contract) else { return None };
    ["fadd", "fsub"].contains(&row.name).then_some((id, row.name == "fadd", [a, b], ty))
}
