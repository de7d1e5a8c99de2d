//! A whole function.

use super::fusion::{each_use, fusions};
use super::selector::{Selected, Selector};
use super::wide::Plan;
use crate::address::spaces::{Spaces, Variables};
use crate::address::terms::parameter;
use crate::code::{Block, Class, Code, End, Local, Operand, Phi};
use crate::facts::Facts;
use crate::flow::Flow;
use crate::ir::tree::{self, BlockId, Function, Id, Instruction, Operation, Value};
use crate::ir::types::{BIT, Type};
use crate::space::Space;
use std::collections::HashMap;

/// A construct that is not supported, with its line in the IR and its place.
pub(crate) type Failure = (usize, Option<tree::Place>, String);

/// Selects the instructions of a function.
///
/// # Errors
/// Returns all that is not supported.
pub(crate) fn select(function: &Function, variables: &Variables) -> Result<Code, Vec<Failure>> {
    let mut selector = Selector::new(function, variables);
    let mut failures = Vec::new();
    if let Err(construct) = selector.parameters() {
        failures.push((function.line, None, construct));
    }
    selector.survey();
    for at in selector.facts.flow.order.clone() {
        selector.block(at, &mut failures);
    }
    for at in selector.facts.flow.order.clone() {
        selector.phis(at, &mut failures);
    }
    if failures.is_empty() { Ok(selector.finish()) } else { Err(failures) }
}

impl<'a> Selector<'a> {
    fn new(function: &'a Function, variables: &'a Variables) -> Self {
        let facts = Facts::new(function);
        let spaces = Spaces::infer(&facts, variables);
        let mut uses = vec![0; function.ids];
        let body = function.blocks.iter().flat_map(|block| &block.body);
        body.for_each(|inst| {
            each_use(inst, &mut |id| uses[id] += 1);
            if let Operation::Phi { from, .. } = &inst.operation {
                from.iter().for_each(|(value, _)| {
                    if let Value::Local(id) = value {
                        uses[*id] += 1;
                    }
                });
            }
        });
        Self {
            fusions: fusions(&facts),
            single: uses.into_iter().map(|uses: usize| uses == 1).collect(),
            facts,
            spaces,
            blocks: vec![Block::empty(); function.blocks.len()],
            classes: Vec::new(),
            values: HashMap::new(),
            extended: HashMap::new(),
            sums: HashMap::new(),
            needed: HashMap::new(),
            products: HashMap::new(),
            negatives: HashMap::new(),
            at_end: Vec::new(),
            locals: Vec::new(),
            block: 0,
            place: None,
        }
    }

    /// Loads the parameters.
    fn parameters(&mut self) -> Selected<()> {
        let function = self.facts.function;
        for (number, of) in function.parameters.iter().enumerate().filter(|(_, of)| of.by_value.is_none()) {
            let name = Operand::Text(parameter(&function.name, number));
            let class = Self::class(&of.ty)?;
            let kind = of.ty.bits().max(8);
            let kind = match class {
                Class::Predicate => "u8".into(),
                _ if kind < 32 && of.ty != Type::Half => format!("u{kind}"),
                _ => format!("b{kind}"),
            };
            let kind = if function.kernel { kind } else { super::calls::parameter_type(&of.ty) };
            let loaded = self.fresh(if class == Class::Predicate { Class::B32 } else { class });
            self.append(format!("ld.param.{kind} $0, [$1];"), 1, vec![Operand::Register(loaded), name], true);
            let loaded = Operand::Register(loaded);
            if of.ty == BIT {
                let to = self.result(of.id, &BIT)?;
                self.make("setp.ne.b32", to, &[loaded, Operand::text("0")]);
            } else if self.spaces.space_of(of.id) == Space::Global && of.ty.is_pointer() {
                let to = self.result(of.id, &of.ty)?;
                self.make("cvta.to.global.u64", to, &[loaded]);
            } else {
                self.values.insert(of.id, loaded);
            }
        }
        Ok(())
    }

    fn block(&mut self, at: BlockId, failures: &mut Vec<Failure>) {
        let block = &self.facts.function.blocks[at];
        self.block = at;
        let plan = self.neighbors(&block.body);
        for (index, inst) in block.body.iter().enumerate() {
            self.place = inst.place.or(self.place);
            if let Err(construct) = self.instruction(inst, plan.get(&index)) {
                failures.push((inst.line, inst.place, construct));
            }
        }
        self.place = block.place.or(self.place);
        if let Err(construct) = self.end(&block.end) {
            failures.push((block.line, block.place, construct));
        }
        self.blocks[at].place = block.place;
    }

    fn instruction(&mut self, inst: &Instruction, plan: Option<&Plan>) -> Selected<()> {
        let id = inst.results.first().copied().unwrap_or_default();
        match plan {
            Some(Plan::Part) => return Ok(()),
            Some(Plan::Wide(wide)) if wide.values.is_empty() => return self.wide_load(wide),
            Some(Plan::Wide(wide)) => return self.store(&wide.access, &wide.values),
            None => {}
        }
        match &inst.operation {
            Operation::Row { row, flags, ty, operands } => self.row(row, *flags, &inst.results, ty, operands),
            Operation::Load(access) => self.load(access, &[Some((id, access.ty.clone()))]),
            Operation::Store(access, value) => self.store(access, &[(access.ty.clone(), value.clone())]),
            Operation::Atomic { name, access, value } => self.atomic(id, name, access, value),
            Operation::Exchange { access, expected, new } => self.exchange(&inst.results, access, expected, new),
            Operation::Fence { text } => {
                self.push(*text, 0, Vec::new());
                Ok(())
            }
            Operation::Pack { ty, parts } => self.pack(id, ty, parts),
            Operation::Unpack { ty, of } => self.unpack(&inst.results, ty, of),
            Operation::Call { function, ty, operands } => self.call(function, &inst.results, ty, operands),
            Operation::Assembly { text, constraints, effects, ty, operands } => {
                self.assembly(text, constraints, *effects, (&inst.results, ty), operands)
            }
            Operation::Variable { bytes, align } => {
                let name = crate::address::terms::local(id);
                self.locals.push(Local { name, bytes: *bytes, align: *align });
                Ok(())
            }
            Operation::Copy { to, from, bytes, value } => self.copy(to, from.as_ref(), *bytes, *value),
            // Phis come last, and addresses where they are used.
            Operation::Phi { .. } | Operation::Element { .. } => Ok(()),
        }
    }

    fn end(&mut self, end: &tree::End) -> Selected<()> {
        self.blocks[self.block].end = match end {
            tree::End::Jump(to) => End::Jump(*to),
            tree::End::Branch(_, yes, no) if yes == no => End::Jump(*yes),
            tree::End::Branch(condition, yes, no) => self.branch(condition, *yes, *no)?,
            tree::End::Return(values) => {
                self.answer(values)?;
                End::Return
            }
            tree::End::Unreachable => End::Trap,
            tree::End::Switch { .. } => return Err("`switch`".into()),
        };
        Ok(())
    }

    fn branch(&mut self, condition: &Value, yes: BlockId, no: BlockId) -> Selected<End> {
        let negation = self.facts.made(condition).filter(|made| {
            let is_true = |value: &Value| matches!(value, Value::Integer(n) if n & 1 == 1);
            made.name == "xor" && made.operands.get(1).is_some_and(|(_, value)| is_true(value))
        });
        let of = negation.map_or(condition, |made| &made.operands[0].1);
        Ok(End::Branch { condition: self.register(of, &BIT)?, negated: negation.is_some(), yes, no })
    }

    /// Selects the phis of a block. Their values are made at the ends of the blocks that they come from.
    fn phis(&mut self, at: BlockId, failures: &mut Vec<Failure>) {
        let function = self.facts.function;
        self.place = None;
        for inst in &function.blocks[at].body {
            let (Operation::Phi { ty, from }, Some(&id)) = (&inst.operation, inst.results.first()) else { continue };
            if let Err(construct) = self.phi(at, id, ty, from) {
                failures.push((inst.line, inst.place, construct));
            }
        }
    }

    fn phi(&mut self, at: BlockId, id: Id, ty: &Type, from: &[(Value, BlockId)]) -> Selected<()> {
        let result = self.result(id, ty)?;
        let mut sources = Vec::new();
        for before in self.facts.flow.predecessors[at].clone() {
            let Some((value, _)) = from.iter().find(|(_, block)| *block == before) else {
                return Err("a `phi` without a value for a block".into());
            };
            self.block = before;
            let source = match value {
                Value::Undefined => None,
                _ if ty.is_pointer() => Some(self.pointer_in(value, self.spaces.space_of(id))?),
                // In a block that ends with a branch, a number is copied only where it is needed.
                Value::Integer(n) if *ty == BIT => Some(Operand::text((n & 1).to_string())),
                _ => Some(self.operand(value, ty)?),
            };
            sources.push((before, source));
        }
        self.blocks[at].phis.push(Phi { result, from: sources });
        Ok(())
    }

    fn finish(mut self) -> Code {
        for (block, inst) in std::mem::take(&mut self.at_end) {
            self.blocks[block].body.push(inst);
        }
        let flow = Flow::new(self.blocks.iter().map(|block| block.end.successors()).collect());
        Code { locals: self.locals, blocks: self.blocks, classes: self.classes, flow }
    }
}
