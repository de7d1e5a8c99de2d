//! The state of the expansion of a kernel, and the operations that all instructions use.

use super::super::names::{Callee, Names};
use super::super::special::Special;
use super::super::step::{Action, Guard, OPERANDS, Origin, SharedVariable, Step, Subroutine, Uniform, Uniforms, Value};
use crate::ground::refusal::LoadError;
use crate::ground::space::Space;
use crate::ptx::tree::{Function, Register, Variable};
use crate::vector::registers::OperandKind;
use std::collections::{HashMap, HashSet};

/// CUDA's limit of local memory per thread, in bytes.
const MAX_LOCAL_BYTES: u64 = 512 << 10;

/// CUDA's limit of static shared memory per block, in bytes.
const MAX_STATIC_SHARED_BYTES: u64 = 48 << 10;

/// A kernel as steps, with virtual registers as places and labels as branch targets.
#[derive(Debug, Default)]
pub(in crate::lower) struct Expanded {
    pub(in crate::lower) steps: Vec<Step<Value>>,
    pub(in crate::lower) origins: Vec<Origin>,
    /// The opcode of each origin.
    pub(in crate::lower) opcodes: Vec<Box<str>>,
    /// The register file of each virtual register.
    pub(in crate::lower) registers: Vec<OperandKind>,
    pub(in crate::lower) specials: HashMap<Special, u32>,
    /// The step of each label, once it is set.
    pub(in crate::lower) labels: Vec<Option<u32>>,
    pub(in crate::lower) uniforms: Uniforms,
    pub(in crate::lower) static_shared_bytes: u32,
    pub(in crate::lower) shared_variables: Vec<SharedVariable>,
    pub(in crate::lower) local_bytes: u32,
    /// The functions that are called and not inlined, with labels as entries.
    pub(in crate::lower) subroutines: Vec<Subroutine>,
    /// The most bytes of arguments of a call of a subroutine.
    pub(in crate::lower) max_argument_bytes: u32,
    /// The virtual register with the address of the current frame, if there are subroutines.
    pub(in crate::lower) frame_pointer: Option<u32>,
}

pub(super) struct Expander<'a> {
    pub(super) names: &'a Names<'a>,
    pub(super) kernel_parameters: HashSet<&'a str>,
    pub(super) out: Expanded,
    pub(super) uniforms: HashMap<(OperandKind, Uniform), Value>,
    /// The offsets of the module's shared variables that the kernel uses.
    pub(super) shared: HashMap<&'a str, u64>,
    pub(super) shared_bytes: u64,
    /// The bytes of the variables of the kernel, or of the frame of the subroutine that is being expanded.
    pub(super) local_bytes: u64,
    pub(super) depth: usize,
    /// The functions of [`Expanded::subroutines`].
    pub(super) pending: Vec<Callee<'a>>,
    /// The number of the subroutine that is being expanded, and the base of its variables in local memory.
    pub(super) current: Option<u32>,
    pub(super) frame_base: Option<Placed>,
    /// The steps of the current subroutine that access its variables while the frame of a callee is the current one.
    pub(super) in_frame_of_caller: Vec<usize>,
    /// The condition code, if an instruction has used it.
    pub(super) carry: Option<Placed>,
    /// The guard of the current instruction.
    pub(super) guard: Option<Guard<Value>>,
    /// The line of the current instruction.
    pub(super) line: u32,
}

/// The meaning of `ret`.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// It ends the thread.
    Kernel,
    /// It jumps to the label behind the inlined function.
    Inlined(u32),
    /// It returns to the caller.
    Subroutine,
}

/// One copy of a function.
pub(super) struct Frame<'a> {
    pub(super) function: &'a Function,
    pub(super) registers: HashMap<Register, Placed>,
    pub(super) variables: HashMap<&'a str, (Space, u64)>,
    pub(super) labels: HashMap<&'a str, u32>,
    pub(super) end: End,
}

impl<'a> Frame<'a> {
    pub(super) fn new(function: &'a Function, end: End) -> Self {
        Self { function, registers: HashMap::new(), variables: HashMap::new(), labels: HashMap::new(), end }
    }

    /// Returns whether the function is called, so its parameters are in local memory.
    pub(super) fn is_called(&self) -> bool {
        !matches!(self.end, End::Kernel)
    }
}

/// A part of the kernel, or the reason why it is refused.
pub(super) type Lowered<T> = Result<T, LoadError>;

/// A value, and its register file.
pub(super) type Placed = (Value, OperandKind);

impl<'a> Expander<'a> {
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Lowered<T> {
        Err(LoadError::Syntax { line: self.line, message: message.into() })
    }

    pub(super) fn unsupported<T>(&self, message: &str) -> Lowered<T> {
        Err(LoadError::Unsupported(format!("line {}: {message}", self.line)))
    }

    /// Counts statements and variables. Fails if the kernels of the module have too many after inlining.
    pub(super) fn spend(&mut self, count: usize) -> Lowered<()> {
        match self.names.left.get().checked_sub(count) {
            Some(left) => {
                self.names.left.set(left);
                Ok(())
            }
            None => self.unsupported("a module of more than two million statements after inlining"),
        }
    }

    /// Assigns an offset to a variable of a function body.
    pub(super) fn place_variable(&mut self, variable: &Variable) -> Lowered<(Space, u64)> {
        match variable.space {
            Space::Shared => Ok((Space::Shared, self.reserve_shared(variable)?)),
            Space::Local | Space::Parameter => {
                let offset = reserve(&mut self.local_bytes, variable);
                if self.local_bytes > MAX_LOCAL_BYTES {
                    self.line = variable.line;
                    return self.error(format!("more than {MAX_LOCAL_BYTES} bytes of local memory per thread"));
                }
                Ok((variable.space, offset))
            }
            _ => self.unsupported("global and constant variables inside a function"),
        }
    }

    pub(super) fn reserve_shared(&mut self, variable: &Variable) -> Lowered<u64> {
        let offset = reserve(&mut self.shared_bytes, variable);
        let placed = SharedVariable { name: variable.name.clone(), offset, bytes: variable.bytes };
        self.out.shared_variables.push(placed);
        let bytes = self.shared_bytes;
        if bytes > MAX_STATIC_SHARED_BYTES {
            self.line = variable.line;
            return self
                .error(format!("{bytes} bytes of static shared memory: the maximum is {MAX_STATIC_SHARED_BYTES}"));
        }
        Ok(offset)
    }

    pub(super) fn label(&mut self, frame: &mut Frame<'a>, name: &'a str) -> u32 {
        *frame.labels.entry(name).or_insert_with(|| self.new_label())
    }

    /// Passes values to the warp from word `first` on, as many in each step as it has operands, for an instruction that takes more.
    /// Returns the next free word.
    pub(super) fn set_aside(&mut self, mut first: u8, values: &[Placed]) -> u8 {
        for values in values.chunks(OPERANDS) {
            self.push_always(Action::SetAside { first }, &[], values);
            first += values.iter().map(|(_, kind)| if *kind == OperandKind::Wide { 2 } else { 1 }).sum::<u8>();
        }
        first
    }

    /// Adds a step of the current instruction, with its guard.
    pub(super) fn push(&mut self, action: Action, results: &[Placed], sources: &[Placed]) {
        self.push_with(self.guard, action, results, sources);
    }

    /// Adds a step that lanes execute even if the guard of the instruction is false for them.
    pub(super) fn push_always(&mut self, action: Action, results: &[Placed], sources: &[Placed]) {
        self.push_with(None, action, results, sources);
    }

    pub(super) fn push_with(
        &mut self,
        guard: Option<Guard<Value>>,
        action: Action,
        results: &[Placed],
        sources: &[Placed],
    ) {
        let mut step = Step::plain(action, self.out.origins.len() as u32 - 1);
        (step.guard, step.results) = (guard, results.len() as u8);
        for (index, &(place, kind)) in results.iter().chain(sources).enumerate() {
            step.places[index] = place;
            step.kinds[index] = Some(kind);
        }
        self.out.steps.push(step);
    }

    /// Returns a new virtual register.
    pub(super) fn new_register(&mut self, kind: OperandKind) -> u32 {
        self.out.registers.push(kind);
        self.out.registers.len() as u32 - 1
    }

    /// Returns a new virtual register as an operand.
    pub(super) fn temporary(&mut self, kind: OperandKind) -> Placed {
        (Value::Register(self.new_register(kind)), kind)
    }

    /// Returns the index of a value that all warps share.
    pub(super) fn uniform(&mut self, kind: OperandKind, value: Uniform) -> Placed {
        let uniforms = &mut self.out.uniforms;
        let add = || Value::Uniform(uniforms.add(kind, value));
        (*self.uniforms.entry((kind, value)).or_insert_with(add), kind)
    }

    /// Returns a new label that is not set yet.
    pub(super) fn new_label(&mut self) -> u32 {
        self.out.labels.push(None);
        self.out.labels.len() as u32 - 1
    }

    /// Sets a label to the next step.
    pub(super) fn set_label(&mut self, label: u32) {
        self.out.labels[label as usize] = Some(self.out.steps.len() as u32);
    }
}

/// Adds a variable to a space and returns its offset.
fn reserve(bytes: &mut u64, variable: &Variable) -> u64 {
    let offset = bytes.next_multiple_of(variable.align);
    *bytes = offset + variable.bytes;
    offset
}
