//! Lists the instructions of a kernel before its registers are allocated.

use super::flow::Blocks;
use super::listing::{ListedInstruction, Listing, RegisterFile};
use super::special::Special;
use super::step::{Action, Step, Uniform, Uniforms, Value};
use crate::vector::registers::OperandKind;
use std::collections::HashSet;

/// Returns the instructions of a kernel by basic block.
pub(super) fn list(code: &Blocks) -> Listing {
    let specials = code.specials.iter().filter(|(special, _)| is_slow(*special)).map(|(_, register)| *register);
    let lister = Lister { uniforms: &code.uniforms, opcodes: &code.opcodes, specials: specials.collect() };
    let mut blocks: Vec<Vec<ListedInstruction>> = Vec::new();
    for step in &code.steps {
        match (step.action, blocks.last_mut()) {
            (Action::Enter(_), _) | (_, None) => blocks.push(Vec::new()),
            (_, Some(block)) => lister.add(block, step),
        }
    }
    let file = |kind: &OperandKind| match kind {
        OperandKind::Narrow => RegisterFile::Narrow,
        OperandKind::Wide => RegisterFile::Wide,
        OperandKind::Predicate => RegisterFile::Predicate,
    };
    let successors = code.flow.successors.clone();
    Listing { blocks, successors, registers: code.registers.iter().map(file).collect() }
}

/// Returns whether hardware reads a special register with an instruction of its own. The others are constants of a launch.
fn is_slow(special: Special) -> bool {
    !matches!(special, Special::BlockSize(_) | Special::GridSize(_) | Special::Zero | Special::One)
}

struct Lister<'a> {
    uniforms: &'a Uniforms,
    opcodes: &'a [Box<str>],
    /// The virtual registers that contain slow special registers.
    specials: HashSet<u32>,
}

impl Lister<'_> {
    /// Adds a step to its instruction, the last of the block or a new one.
    fn add(&self, block: &mut Vec<ListedInstruction>, step: &Step<Value>) {
        let continues = block.last().is_some_and(|last| last.number == step.origin);
        if !continues {
            block.push(self.instruction(step.origin));
        }
        let Some(instruction) = block.last_mut() else { return };
        if let Some(Value::Register(guard)) = step.guard.map(|guard| guard.place) {
            instruction.guard = Some(guard);
        }
        self.add_address(instruction, step);
        let mut written = Vec::new();
        for (index, (&place, kind)) in step.places.iter().zip(step.kinds).enumerate() {
            match (place, kind) {
                (_, None) => {}
                (Value::Register(register), _) if index < usize::from(step.results) => written.push(register),
                (Value::Register(register), _) => self.read_register(instruction, register),
                (Value::Uniform(number), Some(kind)) => self.read_uniform(instruction, kind, number),
            }
        }
        instruction.writes.extend(written);
    }

    fn instruction(&self, origin: u32) -> ListedInstruction {
        ListedInstruction {
            number: origin,
            opcode: self.opcodes.get(origin as usize).map_or_else(|| "ret".to_owned(), |opcode| opcode.to_string()),
            guard: None,
            reads: Vec::new(),
            writes: Vec::new(),
            literal: None,
            reads_special: false,
            reads_thread: false,
            address: None,
            is_argument: false,
        }
    }

    /// Notes the address of an access, whose base follows the results.
    fn add_address(&self, instruction: &mut ListedInstruction, step: &Step<Value>) {
        if let Action::Memory { offset, visible, .. } = step.action {
            let base = match step.places[usize::from(step.results)] {
                Value::Register(register) => Some(register),
                Value::Uniform(_) => None,
            };
            instruction.address = Some((base, offset));
            instruction.is_argument = !visible;
        }
    }

    /// Notes a register that is read, unless an earlier step of the instruction has written it.
    fn read_register(&self, instruction: &mut ListedInstruction, register: u32) {
        if self.specials.contains(&register) {
            instruction.reads_special = true;
            // Those of a block's size and place have no register.
            instruction.reads_thread = true;
        } else if !instruction.writes.contains(&register) {
            instruction.reads.push(register);
        }
    }

    fn read_uniform(&self, instruction: &mut ListedInstruction, kind: OperandKind, number: u32) {
        match self.uniforms.by_kind(kind).get(number as usize) {
            // Outside of clusters, the address of a variable in shared memory is a constant of the machine code.
            Some(Uniform::Literal(value) | Uniform::Shared(value)) => instruction.literal = Some(*value),
            Some(Uniform::Special(special)) if is_slow(*special) => {
                instruction.reads_special = true;
                instruction.reads_thread |= !matches!(special, Special::Block(_));
            }
            _ => {}
        }
    }
}
