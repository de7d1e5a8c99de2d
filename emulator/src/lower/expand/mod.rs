//! Instructions to steps over virtual registers: operands are resolved and calls are inlined.

mod arithmetic;
mod control;
mod memory;
mod operands;

use super::names::Names;
use super::step::{Action, Guard, Origin, Special, Step, Uniform};
use crate::ground::refusal::LoadError;
use crate::ground::space::Space;
use crate::isa::class::Class;
use crate::isa::{self, Arithmetic, Form, Operation, logic};
use crate::ptx::tree::{Function, Instruction, Register, Statement, Variable};
use crate::vector::registers::OperandKind;
use crate::vector::registers::Place;
use std::collections::{HashMap, HashSet};

/// Calls inside calls; CUDA's own stack would not hold more, and recursion never ends.
const MAX_CALL_DEPTH: usize = 64;

/// Steps of one kernel after inlining.
const MAX_STEPS: usize = 1 << 20;

/// Local memory of a thread in bytes, as CUDA limits it.
const MAX_LOCAL_BYTES: u64 = 512 << 10;

/// Static shared memory of a block in bytes, as CUDA limits it.
const MAX_STATIC_SHARED_BYTES: u64 = 48 << 10;

/// A kernel as steps whose places name virtual registers and whose branches name labels.
#[derive(Debug, Default)]
pub(super) struct Expanded {
    pub(super) steps: Vec<Step>,
    pub(super) origins: Vec<Origin>,
    /// Register file of each virtual register; the special ones come by name.
    pub(super) registers: Vec<OperandKind>,
    pub(super) specials: HashMap<Special, Place>,
    /// Step of each label.
    pub(super) labels: Vec<Option<u32>>,
    pub(super) narrow_uniforms: Vec<Uniform>,
    pub(super) wide_uniforms: Vec<Uniform>,
    pub(super) predicate_uniforms: Vec<Uniform>,
    pub(super) static_shared_bytes: u32,
    pub(super) local_bytes: u32,
}

/// The instruction of a statement that is one.
pub(super) fn instruction_of(statement: &Statement) -> Option<&Instruction> {
    match statement {
        Statement::Instruction(instruction) => Some(instruction),
        Statement::Label(_) => None,
    }
}

/// A row of the table, and how a comparison is combined with a predicate.
pub(super) struct Found {
    form: &'static Form,
    operation: Operation,
    combine: Option<logic::Logic>,
}

/// Finds the row for an opcode; `setp.lt.and.s32` is `setp.lt.s32` and a combination.
pub(super) fn find(opcode: &str) -> Option<Found> {
    let mut combine = None;
    let mut plain = opcode.to_owned();
    if opcode.starts_with("setp.") {
        let mut parts: Vec<&str> = opcode.split('.').collect();
        combine = match parts.get(2) {
            Some(&"and") => Some(logic::Logic::AndPredicate),
            Some(&"or") => Some(logic::Logic::OrPredicate),
            Some(&"xor") => Some(logic::Logic::XorPredicate),
            _ => None,
        };
        if combine.is_some() {
            parts.remove(2);
            plain = parts.join(".");
        }
    }
    isa::find(&plain).map(|(form, operation)| Found { form, operation, combine })
}

/// Lowers `kernel` and everything it calls to one list of steps.
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
        carry: None,
        line: kernel.line,
    };
    let mut frame = Frame::new(kernel, None);
    let mut offset = 0_u64;
    for parameter in &kernel.parameters {
        offset = offset.next_multiple_of(parameter.align);
        frame.variables.insert(&parameter.name, (Space::Parameter, offset));
        offset += parameter.bytes;
    }
    expander.function(&mut frame)?;
    expander.out.static_shared_bytes = expander.shared_bytes as u32;
    expander.out.local_bytes = expander.local_bytes as u32;
    Ok(expander.out)
}

struct Expander<'a> {
    names: &'a Names<'a>,
    kernel_parameters: HashSet<&'a str>,
    out: Expanded,
    uniforms: HashMap<(OperandKind, Uniform), Place>,
    /// Offsets of the shared variables of the module that the kernel uses.
    shared: HashMap<&'a str, u64>,
    shared_bytes: u64,
    local_bytes: u64,
    depth: usize,
    /// The condition code register, if some instruction has used it.
    carry: Option<Place>,
    /// Line of the instruction at hand.
    line: u32,
}

/// One inlined copy of a function.
struct Frame<'a> {
    function: &'a Function,
    registers: HashMap<Register, Place>,
    variables: HashMap<&'a str, (Space, u64)>,
    labels: HashMap<&'a str, u32>,
    /// Where `ret` goes; none at the top.
    end: Option<u32>,
}

impl<'a> Frame<'a> {
    fn new(function: &'a Function, end: Option<u32>) -> Self {
        Self { function, registers: HashMap::new(), variables: HashMap::new(), labels: HashMap::new(), end }
    }
}

type Lowered<T> = Result<T, LoadError>;

impl<'a> Expander<'a> {
    fn error<T>(&self, message: impl Into<String>) -> Lowered<T> {
        Err(LoadError::Syntax { line: self.line, message: message.into() })
    }

    fn unsupported<T>(&self, message: &str) -> Lowered<T> {
        Err(LoadError::Unsupported(format!("line {}: {message}", self.line)))
    }

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
                    if self.out.labels[label as usize].is_some() {
                        return self.error(format!("label `{name}` stands twice"));
                    }
                    self.out.labels[label as usize] = Some(self.out.steps.len() as u32);
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
            Some((name, _)) => self.error(format!("label `{name}` does not exist in `{}`", frame.function.name)),
            None => Ok(()),
        }
    }

    /// Takes `count` of the statements and variables that the kernels of a module may have after inlining.
    fn spend(&mut self, count: usize) -> Lowered<()> {
        match self.names.left.get().checked_sub(count) {
            Some(left) => {
                self.names.left.set(left);
                Ok(())
            }
            None => self.unsupported("a module of more than two million statements after inlining"),
        }
    }

    /// Lays out a variable of a function body.
    fn place_variable(&mut self, variable: &Variable) -> Lowered<(Space, u64)> {
        match variable.space {
            Space::Shared => Ok((Space::Shared, self.reserve_shared(variable)?)),
            Space::Local | Space::Parameter => {
                let offset = reserve(&mut self.local_bytes, variable);
                if self.local_bytes > MAX_LOCAL_BYTES {
                    self.line = variable.line;
                    return self.error(format!("more than {MAX_LOCAL_BYTES} bytes of local memory a thread"));
                }
                Ok((variable.space, offset))
            }
            _ => self.unsupported("global and constant variables inside a function"),
        }
    }

    fn reserve_shared(&mut self, variable: &Variable) -> Lowered<u64> {
        let offset = reserve(&mut self.shared_bytes, variable);
        let bytes = self.shared_bytes;
        if bytes > MAX_STATIC_SHARED_BYTES {
            self.line = variable.line;
            return self
                .error(format!("{bytes} bytes of static shared memory: at most {MAX_STATIC_SHARED_BYTES} can be had"));
        }
        Ok(offset)
    }

    fn label(&mut self, frame: &mut Frame<'a>, name: &'a str) -> u32 {
        *frame.labels.entry(name).or_insert_with(|| {
            self.out.labels.push(None);
            self.out.labels.len() as u32 - 1
        })
    }

    fn instruction(&mut self, frame: &mut Frame<'a>, instruction: &'a Instruction) -> Lowered<()> {
        self.line = instruction.line;
        let class = Class::of(&instruction.opcode);
        self.out.origins.push(Origin { line: instruction.line, source: instruction.source, class });
        let start = self.out.steps.len();
        let Some(found) = find(&instruction.opcode) else {
            return self.unsupported(&format!("`{}`", instruction.opcode));
        };
        let guard = match instruction.guard {
            Some((register, negated)) => {
                Some(Guard { place: self.register(frame, register, OperandKind::Predicate)?, negated })
            }
            None => None,
        };
        let operands = &instruction.operands;
        match found.operation {
            Operation::Arithmetic(_) if instruction.opcode.starts_with("setp") => {
                self.comparison(frame, guard, &found, operands)?;
            }
            Operation::Arithmetic(arithmetic) if instruction.opcode.starts_with("mov.") => {
                self.movement(frame, guard, arithmetic, found.form, operands)?;
            }
            Operation::Arithmetic(arithmetic) if instruction.opcode.starts_with("cvt.") => {
                self.conversion(frame, guard, arithmetic, found.form, instruction)?;
            }
            Operation::Carry(carry) => self.carry(frame, guard, carry, found.form, operands)?,
            Operation::Arithmetic(arithmetic) => self.arithmetic(frame, guard, arithmetic, found.form, operands)?,
            Operation::Memory(operation) => self.memory(frame, guard, operation, operands)?,
            Operation::Control(operation) => self.control(frame, guard, operation, operands)?,
        }
        if let Some(step) = self.out.steps.get_mut(start) {
            step.first = true;
        }
        Ok(())
    }

    fn push(
        &mut self,
        action: Action,
        guard: Option<Guard>,
        results: &[(Place, OperandKind)],
        sources: &[(Place, OperandKind)],
    ) {
        let mut step = Step {
            action,
            guard,
            places: [Place::default(); 6],
            kinds: [None; 6],
            results: results.len() as u8,
            first: false,
            origin: self.out.origins.len() as u32 - 1,
        };
        for (index, &(place, kind)) in results.iter().chain(sources).enumerate() {
            step.places[index] = place;
            step.kinds[index] = Some(kind);
        }
        // Sums of two terms are computed by the loop for three; the last is read twice.
        if let (Action::Arithmetic(Arithmetic::Rounded(_)), 2) = (action, sources.len()) {
            step.places[3] = sources[1].0;
            step.kinds[3] = Some(sources[1].1);
        }
        self.out.steps.push(step);
    }

    fn temporary(&mut self, kind: OperandKind) -> Place {
        self.out.registers.push(kind);
        Place { row: self.out.registers.len() as u32 - 1, stride: 1 }
    }

    fn uniform(&mut self, kind: OperandKind, value: Uniform) -> Place {
        let list = match kind {
            OperandKind::Narrow => &mut self.out.narrow_uniforms,
            OperandKind::Wide => &mut self.out.wide_uniforms,
            OperandKind::Predicate => &mut self.out.predicate_uniforms,
        };
        *self.uniforms.entry((kind, value)).or_insert_with(|| {
            list.push(value);
            Place { row: list.len() as u32 - 1, stride: 0 }
        })
    }
}

/// Adds a variable to a space and returns its offset.
fn reserve(bytes: &mut u64, variable: &Variable) -> u64 {
    let offset = bytes.next_multiple_of(variable.align);
    *bytes = offset + variable.bytes;
    offset
}
