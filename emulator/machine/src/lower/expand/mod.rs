//! Expansion of instructions to steps over virtual registers: operands are resolved, and calls are inlined.

mod arithmetic;
mod asynchronous;
mod builtin;
mod collective;
mod control;
pub(super) mod expander;
mod matrix;
mod memory;
mod operands;
mod subroutine;
mod warpgroup;

use super::names::Names;
use super::step::{Action, Guard, Origin};
use crate::ground::refusal::LoadError;
use crate::ground::space::Space;
use crate::isa::logic::Logic;
use crate::isa::operation::{Arithmetic, Operation};
use crate::isa::table;
use crate::ptx::tree::{Function, Instruction, Statement};
use crate::vector::registers::OperandKind;
use expander::{End, Expanded, Expander, Frame, Lowered};
use std::collections::HashMap;

/// The maximum number of steps of a kernel after inlining.
const MAX_STEPS: usize = 1 << 20;

/// Finds the row of an opcode. For a comparison that is combined with a predicate, such as `setp.lt.and.s32`, returns the row of
/// `setp.lt.s32` and the combining operation.
pub(super) fn find(opcode: &str) -> Option<(table::Found, Option<Logic>)> {
    let mut parts: Vec<&str> = opcode.split('.').collect();
    let combine = match (parts[0], parts.get(2)) {
        ("setp", Some(&"and")) => Some(Logic::AndPredicate),
        ("setp", Some(&"or")) => Some(Logic::OrPredicate),
        ("setp", Some(&"xor")) => Some(Logic::XorPredicate),
        _ => None,
    };
    if combine.is_some() {
        parts.remove(2);
    }
    table::find(&parts.join(".")).map(|found| (found, combine))
}

/// Expands `kernel` and everything that it calls to one list of steps. Subroutines are behind the kernel.
pub(super) fn expand(names: &Names<'_>, kernel: &Function) -> Result<Expanded, LoadError> {
    let mut expander = Expander {
        names,
        kernel_parameters: kernel.parameters.iter().map(|parameter| parameter.name.as_str()).collect(),
        out: Expanded::default(),
        uniforms: HashMap::new(),
        shared: HashMap::new(),
        shared_bytes: 0,
        local_bytes: 0,
        depth: 0,
        pending: Vec::new(),
        current: None,
        frame_base: None,
        in_frame_of_caller: Vec::new(),
        carry: None,
        guard: None,
        line: kernel.line,
    };
    let mut frame = Frame::new(kernel, End::Kernel);
    let mut offset = 0_u64;
    for parameter in &kernel.parameters {
        offset = offset.next_multiple_of(parameter.align);
        frame.variables.insert(&parameter.name, (Space::Parameter, offset));
        offset += parameter.bytes;
    }
    expander.function(&mut frame)?;
    expander.subroutines()?;
    expander.out.static_shared_bytes = expander.shared_bytes as u32;
    expander.out.local_bytes = expander.local_bytes as u32;
    Ok(expander.out)
}

impl<'a> Expander<'a> {
    /// Expands the body of a function.
    fn function(&mut self, frame: &mut Frame<'a>) -> Lowered<()> {
        self.spend(frame.function.variables.len())?;
        for variable in &frame.function.variables {
            let placed = self.place_variable(variable)?;
            frame.variables.insert(&variable.name, placed);
        }
        for statement in frame.function.body.iter().flatten() {
            match statement {
                Statement::Label(name) => {
                    let label = self.label(frame, name);
                    self.set_label(label);
                }
                Statement::Instruction(instruction) => self.instruction(frame, instruction)?,
            }
            if self.out.steps.len() > MAX_STEPS {
                return self.unsupported("a kernel of more than a million instructions after inlining");
            }
            self.spend(1)?;
        }
        let missing = frame.labels.iter().find(|(_, label)| self.out.labels[**label as usize].is_none());
        match missing {
            Some((name, _)) => self.error(format!("label `{name}` is not defined in `{}`", frame.function.name)),
            None => Ok(()),
        }
    }

    fn instruction(&mut self, frame: &mut Frame<'a>, instruction: &'a Instruction) -> Lowered<()> {
        self.line = instruction.line;
        let Some((found, combine)) = find(&instruction.opcode) else {
            return self.unsupported(&format!("`{}`", instruction.opcode));
        };
        self.out.origins.push(Origin { line: instruction.line, source: instruction.source, class: found.class() });
        self.out.opcodes.push(instruction.opcode.as_str().into());
        let start = self.out.steps.len();
        if let Some((register, negated)) = instruction.guard {
            let (place, _) = self.register(frame, register, OperandKind::Predicate)?;
            self.guard = Some(Guard { place, negated });
        }
        let shape = found.shape;
        let operands = instruction.operands.as_slice();
        match found.operation {
            Operation::Arithmetic(operation) => self.arithmetic(frame, operation, shape, operands)?,
            Operation::Comparison(operation) => self.comparison(frame, (operation, combine), shape, operands)?,
            Operation::Move(operation) => self.movement(frame, Arithmetic::Move(operation), shape, operands)?,
            Operation::Conversion(operation) => self.conversion(frame, operation, shape, instruction)?,
            Operation::Carry(operation) => self.carry(frame, operation, shape, operands)?,
            Operation::Memory(operation) => self.memory(frame, operation, operands)?,
            Operation::Flow(operation) => self.flow(frame, operation, operands)?,
            Operation::Barrier(operation) => self.barrier(frame, operation, shape, operands)?,
            Operation::Cluster(operation) => self.cluster(frame, operation, operands)?,
            Operation::Asynchronous(operation) => self.asynchronous(frame, operation, operands)?,
            Operation::Matrix(operation) => self.matrix(frame, operation, operands)?,
            Operation::Texture(operation) => self.texture(frame, operation, operands)?,
            Operation::Warpgroup(operation) => self.warpgroup(frame, operation, operands)?,
            Operation::Mbarrier(operation) => self.mbarrier(frame, operation, operands)?,
            Operation::Exchange(operation) => self.collective(frame, Action::Exchange(operation), shape, operands)?,
        }
        self.guard = None;
        if let Some(step) = self.out.steps.get_mut(start) {
            step.first = true;
        }
        Ok(())
    }
}
