//! Instructions to steps over virtual registers: operands are resolved and calls are inlined.

use super::Symbol;
use super::step::{Action, Guard, Origin, Special, Step, Uniform};
use crate::LoadError;
use crate::isa::control::ControlOperation;
use crate::isa::memory::MemoryOperation;
use crate::isa::{self, Arithmetic, Form, OperandKind, Operation, convert, logic};
use crate::machine::registers::Place;
use crate::ptx::tree::{Function, Instruction, Literal, Operand, Register, Space, Statement, Tree, Variable, Width};
use crate::window;
use std::collections::HashMap;

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
pub(super) fn expand(tree: &Tree, kernel: &Function, symbols: &HashMap<String, Symbol>) -> Result<Expanded, LoadError> {
    let mut expander = Expander {
        tree,
        symbols,
        out: Expanded::default(),
        uniforms: HashMap::new(),
        shared: HashMap::new(),
        shared_bytes: 0,
        local_bytes: 0,
        depth: 0,
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
    if expander.shared_bytes > MAX_STATIC_SHARED_BYTES {
        let bytes = expander.shared_bytes;
        return expander
            .error(format!("{bytes} bytes of static shared memory: at most {MAX_STATIC_SHARED_BYTES} can be had"));
    }
    expander.out.static_shared_bytes = expander.shared_bytes as u32;
    expander.out.local_bytes = expander.local_bytes as u32;
    Ok(expander.out)
}

struct Expander<'a> {
    tree: &'a Tree,
    symbols: &'a HashMap<String, Symbol>,
    out: Expanded,
    uniforms: HashMap<(OperandKind, Uniform), Place>,
    /// Offsets of the shared variables of the module that the kernel uses.
    shared: HashMap<&'a str, u64>,
    shared_bytes: u64,
    local_bytes: u64,
    depth: usize,
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

/// Where an address points before its register is added.
struct Target {
    space: Space,
    base: Option<Place>,
    kind: OperandKind,
    offset: i64,
    /// Whether it is a call's parameter.
    call: bool,
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
        }
        let missing = frame.labels.iter().find(|(_, label)| self.out.labels[**label as usize].is_none());
        match missing {
            Some((name, _)) => self.error(format!("label `{name}` does not exist in `{}`", frame.function.name)),
            None => Ok(()),
        }
    }

    /// Lays out a variable of a function body.
    fn place_variable(&mut self, variable: &Variable) -> Lowered<(Space, u64)> {
        match variable.space {
            Space::Shared => Ok((Space::Shared, reserve(&mut self.shared_bytes, variable))),
            Space::Local | Space::Parameter => {
                let offset = reserve(&mut self.local_bytes, variable);
                if self.local_bytes > MAX_LOCAL_BYTES {
                    return self.error(format!("more than {MAX_LOCAL_BYTES} bytes of local memory a thread"));
                }
                Ok((variable.space, offset))
            }
            _ => self.unsupported("global and constant variables inside a function"),
        }
    }

    fn label(&mut self, frame: &mut Frame<'a>, name: &'a str) -> u32 {
        *frame.labels.entry(name).or_insert_with(|| {
            self.out.labels.push(None);
            self.out.labels.len() as u32 - 1
        })
    }

    fn instruction(&mut self, frame: &mut Frame<'a>, instruction: &'a Instruction) -> Lowered<()> {
        self.line = instruction.line;
        self.out.origins.push(Origin { line: instruction.line, source: instruction.source });
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

    fn register(&mut self, frame: &mut Frame<'a>, register: Register, kind: OperandKind) -> Lowered<Place> {
        let width = frame.function.registers[register as usize];
        if width != kind.width() {
            return self.error(format!("a register of another size is needed: {:?}, not {width:?}", kind.width()));
        }
        if let Some(&place) = frame.registers.get(&register) {
            return Ok(place);
        }
        let place = self.temporary(kind);
        frame.registers.insert(register, place);
        Ok(place)
    }

    /// The register file of a register operand; a literal takes any.
    fn kind_of(&self, frame: &Frame<'a>, operand: &Operand) -> Lowered<OperandKind> {
        let Operand::Register(register) = operand else { return Ok(OperandKind::Narrow) };
        match frame.function.registers[*register as usize] {
            Width::Narrow => Ok(OperandKind::Narrow),
            Width::Wide => Ok(OperandKind::Wide),
            Width::Predicate => self.error("a predicate where a value is needed"),
            Width::Quad => self.unsupported("128-bit registers"),
        }
    }

    fn result(&mut self, frame: &mut Frame<'a>, operand: &Operand, kind: OperandKind) -> Lowered<Place> {
        match operand {
            Operand::Register(register) => self.register(frame, *register, kind),
            Operand::Nothing => Ok(self.temporary(kind)),
            _ => self.error("the first operand is not a register"),
        }
    }

    fn source(&mut self, frame: &mut Frame<'a>, operand: &Operand, kind: OperandKind) -> Lowered<Place> {
        match operand {
            Operand::Register(register) => self.register(frame, *register, kind),
            Operand::Negated(register) => {
                let plain = self.register(frame, *register, OperandKind::Predicate)?;
                let negated = self.temporary(OperandKind::Predicate);
                self.logic(
                    logic::Logic::NotPredicate,
                    None,
                    (negated, OperandKind::Predicate),
                    &[(plain, OperandKind::Predicate)],
                );
                Ok(negated)
            }
            Operand::Literal(literal) => self.literal(*literal, kind),
            Operand::Special(name) => self.special(name, kind),
            Operand::Symbol(name, offset) => self.symbol_value(frame, name, *offset, kind),
            _ => self.error("this kind of operand is not expected here"),
        }
    }

    fn literal(&mut self, literal: Literal, kind: OperandKind) -> Lowered<Place> {
        let bits = match (literal, kind) {
            (Literal::Integer(value), OperandKind::Narrow) => value & 0xFFFF_FFFF,
            (Literal::Integer(value), OperandKind::Predicate) => u64::from(value != 0),
            (Literal::Integer(value), OperandKind::Wide) => value,
            (Literal::Single(bits), OperandKind::Narrow) => u64::from(bits),
            (Literal::Double(bits), OperandKind::Wide) => bits,
            (Literal::Double(bits), OperandKind::Narrow) => u64::from((f64::from_bits(bits) as f32).to_bits()),
            (Literal::Single(bits), OperandKind::Wide) => f64::from(f32::from_bits(bits)).to_bits(),
            _ => return self.error("a float where a predicate is needed"),
        };
        Ok(self.uniform(kind, Uniform::Literal(bits)))
    }

    fn special(&mut self, name: &str, kind: OperandKind) -> Lowered<Place> {
        let Some(special) = Special::from_name(name) else {
            return self.unsupported(&format!("special register `%{name}`"));
        };
        if !special.differs_by_warp() {
            return Ok(self.uniform(kind, Uniform::Special(special)));
        }
        if kind != OperandKind::Narrow {
            return self.error(format!("`%{name}` has 32 bits"));
        }
        if let Some(&place) = self.out.specials.get(&special) {
            return Ok(place);
        }
        let place = self.temporary(kind);
        self.out.specials.insert(special, place);
        Ok(place)
    }

    /// The address of a variable as a value (`mov.u64 %rd1, name`).
    fn symbol_value(&mut self, frame: &Frame<'a>, name: &str, offset: i64, kind: OperandKind) -> Lowered<Place> {
        match self.symbol(frame, name)? {
            (_, None) => Ok(self.uniform(kind, Uniform::DynamicShared(offset))),
            (_, Some(address)) => Ok(self.uniform(kind, Uniform::Literal(address.wrapping_add(offset as u64)))),
        }
    }

    /// Space and address of a variable; the address is missing for dynamic shared memory.
    fn symbol(&mut self, frame: &Frame<'a>, name: &str) -> Lowered<(Space, Option<u64>)> {
        if let Some(&(space, address)) = frame.variables.get(name) {
            return Ok((space, Some(address)));
        }
        let tree = self.tree;
        if let Some(variable) =
            tree.variables.iter().find(|variable| variable.name == name && variable.space == Space::Shared)
        {
            if variable.external || variable.bytes == 0 {
                return Ok((Space::Shared, None));
            }
            let bytes = &mut self.shared_bytes;
            let offset = *self.shared.entry(&variable.name).or_insert_with(|| reserve(bytes, variable));
            return Ok((Space::Shared, Some(offset)));
        }
        match self.symbols.get(name) {
            Some(symbol) => Ok((symbol.space, Some(symbol.address))),
            None => self.error(format!("`{name}` is not declared")),
        }
    }

    fn logic(
        &mut self,
        operation: logic::Logic,
        guard: Option<Guard>,
        result: (Place, OperandKind),
        sources: &[(Place, OperandKind)],
    ) {
        self.push(Action::Arithmetic(Arithmetic::Logic(operation)), guard, &[result], sources);
    }

    fn convert(
        &mut self,
        operation: convert::Convert,
        guard: Option<Guard>,
        result: (Place, OperandKind),
        source: (Place, OperandKind),
    ) {
        self.push(Action::Arithmetic(Arithmetic::Convert(operation)), guard, &[result], &[source]);
    }

    fn arithmetic(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        operation: Arithmetic,
        form: &Form,
        operands: &[Operand],
    ) -> Lowered<()> {
        if operands.len() != form.operands.len() {
            return self.error(format!("{} operands where {} are expected", operands.len(), form.operands.len()));
        }
        let mut sources = Vec::with_capacity(4);
        for (operand, &kind) in operands.iter().zip(form.operands).skip(1) {
            sources.push((self.source(frame, operand, kind)?, kind));
        }
        let result = (self.result(frame, &operands[0], form.operands[0])?, form.operands[0]);
        self.push(Action::Arithmetic(operation), guard, &[result], &sources);
        Ok(())
    }

    /// `setp` with one or two results, combined with a predicate or not.
    fn comparison(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        found: &Found,
        operands: &[Operand],
    ) -> Lowered<()> {
        const P: OperandKind = OperandKind::Predicate;
        let Operation::Arithmetic(operation) = found.operation else { return self.error("not a comparison") };
        let expected = 3 + usize::from(found.combine.is_some());
        if operands.len() != expected {
            return self.error(format!("{} operands where {expected} are expected", operands.len()));
        }
        let (first, second) = match &operands[0] {
            Operand::Pair(first, second) => (*first, *second),
            Operand::Register(register) => (Some(*register), None),
            _ => return self.error("the first operand is not a predicate"),
        };
        let kind = found.form.operands[1];
        let sources =
            [(self.source(frame, &operands[1], kind)?, kind), (self.source(frame, &operands[2], kind)?, kind)];
        if let (Some(register), None, None) = (first, second, found.combine) {
            let result = (self.register(frame, register, P)?, P);
            self.push(Action::Arithmetic(operation), guard, &[result], &sources);
            return Ok(());
        }
        // The results are written last: they may be the predicate combined with, or the guard.
        let compared = self.temporary(P);
        self.push(Action::Arithmetic(operation), None, &[(compared, P)], &sources);
        let inverse = self.temporary(P);
        self.logic(logic::Logic::NotPredicate, None, (inverse, P), &[(compared, P)]);
        let guard = guard.map(|guard| {
            let copy = self.temporary(P);
            self.logic(logic::Logic::MovePredicate, None, (copy, P), &[(guard.place, P)]);
            Guard { place: copy, ..guard }
        });
        let mut values = [compared, inverse];
        if let Some(combine) = found.combine {
            let other = self.source(frame, &operands[3], P)?;
            for value in &mut values {
                let combined = self.temporary(P);
                self.logic(combine, None, (combined, P), &[(*value, P), (other, P)]);
                *value = combined;
            }
        }
        for (register, value) in [first, second].into_iter().zip(values) {
            if let Some(register) = register {
                let result = (self.register(frame, register, P)?, P);
                self.logic(logic::Logic::MovePredicate, guard, result, &[(value, P)]);
            }
        }
        Ok(())
    }

    /// `mov`: of a value, an address, or between a register and a vector of its parts.
    fn movement(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        operation: Arithmetic,
        form: &Form,
        operands: &[Operand],
    ) -> Lowered<()> {
        match operands {
            [Operand::Vector(parts), source] => self.unpack(frame, guard, parts, source),
            [result, Operand::Vector(parts)] => self.pack(frame, guard, result, parts),
            _ => self.arithmetic(frame, guard, operation, form, operands),
        }
    }

    fn unpack(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        parts: &[Operand],
        source: &Operand,
    ) -> Lowered<()> {
        const N: OperandKind = OperandKind::Narrow;
        const W: OperandKind = OperandKind::Wide;
        let [low, high] = parts else { return self.unsupported("a vector of other than two parts in `mov`") };
        let kind = self.kind_of(frame, source)?;
        let whole = self.source(frame, source, kind)?;
        let upper = self.temporary(kind);
        let (shift, bits) =
            if kind == W { (logic::Logic::ShiftRightU64, 32) } else { (logic::Logic::ShiftRightU32, 16) };
        let count = self.uniform(N, Uniform::Literal(bits));
        self.logic(shift, None, (upper, kind), &[(whole, kind), (count, N)]);
        let lower = self.temporary(kind);
        let copy = if kind == W { logic::Logic::Move64 } else { logic::Logic::Move32 };
        self.logic(copy, None, (lower, kind), &[(whole, kind)]);
        for (part, value) in [(low, lower), (high, upper)] {
            let result = (self.result(frame, part, N)?, N);
            let narrow = if kind == W { convert::Convert::Narrow } else { convert::Convert::Narrow16 };
            self.convert(narrow, guard, result, (value, kind));
        }
        Ok(())
    }

    fn pack(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        result: &Operand,
        parts: &[Operand],
    ) -> Lowered<()> {
        const N: OperandKind = OperandKind::Narrow;
        const W: OperandKind = OperandKind::Wide;
        let [low, high] = parts else { return self.unsupported("a vector of other than two parts in `mov`") };
        let kind = self.kind_of(frame, result)?;
        let mut values = [Place::default(); 2];
        for (part, value) in [low, high].into_iter().zip(&mut values) {
            let narrow = self.source(frame, part, N)?;
            *value = self.temporary(kind);
            let widen = if kind == W { convert::Convert::Widen } else { convert::Convert::Widen16 };
            self.convert(widen, None, (*value, kind), (narrow, N));
        }
        let (shift, or, bits) = if kind == W {
            (logic::Logic::ShiftLeft64, logic::Logic::Or64, 32)
        } else {
            (logic::Logic::ShiftLeft32, logic::Logic::Or32, 16)
        };
        let count = self.uniform(N, Uniform::Literal(bits));
        let shifted = self.temporary(kind);
        self.logic(shift, None, (shifted, kind), &[(values[1], kind), (count, N)]);
        let result = (self.result(frame, result, kind)?, kind);
        self.logic(or, guard, result, &[(values[0], kind), (shifted, kind)]);
        Ok(())
    }

    /// What an address operand points to.
    fn target(&mut self, frame: &mut Frame<'a>, space: Space, operand: &Operand) -> Lowered<Target> {
        match operand {
            Operand::RegisterAddress(register, offset) => {
                let kind = self.kind_of(frame, &Operand::Register(*register))?;
                let base = Some(self.register(frame, *register, kind)?);
                // The parameters of an inlined call live in local memory.
                let call = space == Space::Parameter && frame.end.is_some();
                let space = if call { Space::Local } else { space };
                Ok(Target { space, base, kind, offset: *offset, call })
            }
            Operand::AbsoluteAddress(address) => {
                Ok(Target { space, base: None, kind: OperandKind::Wide, offset: *address as i64, call: false })
            }
            Operand::SymbolAddress(name, offset) => {
                let (home, address) = self.symbol(frame, name)?;
                let Some(address) = address else {
                    let base = Some(self.uniform(OperandKind::Wide, Uniform::DynamicShared(0)));
                    return Ok(Target { space: home, base, kind: OperandKind::Wide, offset: *offset, call: false });
                };
                // Parameters of inlined calls live in local memory.
                let call = home == Space::Parameter
                    && (frame.end.is_some()
                        || !frame.function.parameters.iter().any(|parameter| parameter.name == *name));
                let home = if call { Space::Local } else { home };
                let window = if space == Space::Generic { window::base(home) } else { 0 };
                let space = if call { home } else { space };
                let offset = (address + window) as i64 + offset;
                Ok(Target { space, base: None, kind: OperandKind::Wide, offset, call })
            }
            _ => self.error("an address in brackets is expected"),
        }
    }

    fn memory(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        operation: MemoryOperation,
        operands: &[Operand],
    ) -> Lowered<()> {
        match operation {
            MemoryOperation::Load { space, element, lanes } => {
                let [result, address] = operands else { return self.error("a load has two operands") };
                let target = self.target(frame, space, address)?;
                let results = self.vector(frame, result, lanes, element.bytes)?;
                if target.space == Space::Parameter && target.base.is_none() {
                    return self.load_parameter(guard, element, &results, target.offset);
                }
                let operation = MemoryOperation::Load { space: target.space, element, lanes };
                let (action, base) = self.access(operation, &target);
                self.push(action, guard, &results, &[base]);
            }
            MemoryOperation::Store { space, element, lanes } => {
                let [address, value] = operands else { return self.error("a store has two operands") };
                let target = self.target(frame, space, address)?;
                if target.space == Space::Parameter {
                    return self.error("kernel parameters cannot be written");
                }
                let values = self.vector(frame, value, lanes, element.bytes)?;
                let operation = MemoryOperation::Store { space: target.space, element, lanes };
                let (action, base) = self.access(operation, &target);
                let sources: Vec<_> = [base].into_iter().chain(values).collect();
                self.push(action, guard, &[], &sources);
            }
            MemoryOperation::Atomic { space, element, function, returns } => {
                let kind = if element.bytes == 8 { OperandKind::Wide } else { OperandKind::Narrow };
                let (result, rest) = if returns {
                    operands.split_first().map_or((None, operands), |(first, rest)| (Some(first), rest))
                } else {
                    (None, operands)
                };
                let Some((address, values)) =
                    rest.split_first().filter(|(_, values)| !values.is_empty() && values.len() < 3)
                else {
                    return self.error("an atomic has an address and one or two values");
                };
                let target = self.target(frame, space, address)?;
                let mut sources = Vec::with_capacity(3);
                for value in values {
                    sources.push((self.source(frame, value, kind)?, kind));
                }
                let result = match result {
                    Some(Operand::Nothing) | None => self.temporary(kind),
                    Some(operand) => self.result(frame, operand, kind)?,
                };
                let operation = MemoryOperation::Atomic { space: target.space, element, function, returns };
                let (action, base) = self.access(operation, &target);
                sources.insert(0, base);
                self.push(action, guard, &[(result, kind)], &sources);
            }
        }
        Ok(())
    }

    fn access(&mut self, operation: MemoryOperation, target: &Target) -> (Action, (Place, OperandKind)) {
        let action = Action::Memory { operation, offset: target.offset, visible: !target.call };
        let base = target.base.unwrap_or_else(|| self.uniform(OperandKind::Wide, Uniform::Literal(0)));
        (action, (base, target.kind))
    }

    /// The registers of a vector operand, or of a single one.
    fn vector(
        &mut self,
        frame: &mut Frame<'a>,
        operand: &Operand,
        lanes: u8,
        bytes: u8,
    ) -> Lowered<Vec<(Place, OperandKind)>> {
        let single = std::slice::from_ref(operand);
        let parts = match operand {
            Operand::Vector(parts) => parts.as_slice(),
            _ => single,
        };
        if parts.len() != usize::from(lanes) {
            return self.error(format!("{} registers where {lanes} are expected", parts.len()));
        }
        let mut list = Vec::with_capacity(4);
        for part in parts {
            let kind = match part {
                Operand::Register(_) => self.kind_of(frame, part)?,
                _ if bytes == 8 => OperandKind::Wide,
                _ => OperandKind::Narrow,
            };
            if bytes == 8 && kind != OperandKind::Wide {
                return self.error("eight bytes do not fit the register");
            }
            let place = match part {
                Operand::Nothing => self.temporary(kind),
                _ => self.source(frame, part, kind)?,
            };
            list.push((place, kind));
        }
        Ok(list)
    }

    /// A kernel parameter at a known offset: a value that all threads share.
    fn load_parameter(
        &mut self,
        guard: Option<Guard>,
        element: isa::memory::Element,
        results: &[(Place, OperandKind)],
        offset: i64,
    ) -> Lowered<()> {
        for (index, &(place, kind)) in results.iter().enumerate() {
            let offset = offset + index as i64 * i64::from(element.bytes);
            let Ok(offset) = u32::try_from(offset) else { return self.error("a parameter address below zero") };
            let value = Uniform::Parameter { offset, bytes: element.bytes, signed: element.signed };
            let source = self.uniform(kind, value);
            let copy = if kind == OperandKind::Wide { logic::Logic::Move64 } else { logic::Logic::Move32 };
            self.logic(copy, guard, (place, kind), &[(source, kind)]);
        }
        Ok(())
    }

    fn control(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        operation: ControlOperation,
        operands: &'a [Operand],
    ) -> Lowered<()> {
        match operation {
            ControlOperation::Branch => {
                let [Operand::Symbol(name, 0)] = operands else { return self.error("a branch has one label") };
                let target = self.label(frame, name);
                self.push(Action::Branch { target, reconverge: 0 }, guard, &[], &[]);
                Ok(())
            }
            ControlOperation::Call => self.call(frame, guard, operands),
            ControlOperation::Return if frame.end.is_some() => {
                let target = frame.end.unwrap_or_default();
                self.push(Action::Branch { target, reconverge: 0 }, guard, &[], &[]);
                Ok(())
            }
            ControlOperation::Return => {
                self.push(Action::Control(ControlOperation::Exit), guard, &[], &[]);
                Ok(())
            }
            ControlOperation::Exit | ControlOperation::Trap | ControlOperation::Nothing => {
                self.push(Action::Control(operation), guard, &[], &[]);
                Ok(())
            }
            _ => self.collective(frame, guard, operation, operands),
        }
    }

    /// Barriers, and what the lanes of a warp do together.
    fn collective(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        operation: ControlOperation,
        operands: &[Operand],
    ) -> Lowered<()> {
        use ControlOperation as C;
        use OperandKind::{Narrow as N, Predicate as P};
        let value = match operands.get(1) {
            Some(operand) if matches!(operation, C::MatchAny | C::MatchAll) => self.kind_of(frame, operand)?,
            _ => N,
        };
        // Result kinds, an optional second predicate result, and source kinds.
        let (result, second, sources): (Option<OperandKind>, bool, &[OperandKind]) = match operation {
            C::Barrier | C::BarrierArrive => (None, false, &[N, N]),
            C::BarrierReduce(isa::control::Combine::Count) => (Some(N), false, &[N, N, P]),
            C::BarrierReduce(_) => (Some(P), false, &[N, N, P]),
            C::WarpBarrier => (None, false, &[N]),
            C::Shuffle(_) => (Some(N), true, &[N, N, N, N]),
            C::Vote(isa::control::Vote::Ballot) => (Some(N), false, &[P, N]),
            C::Vote(_) => (Some(P), false, &[P, N]),
            C::MatchAny => (Some(N), false, &[value, N]),
            C::MatchAll => (Some(N), true, &[value, N]),
            C::Reduce(_) => (Some(N), false, &[N, N]),
            _ => (Some(N), false, &[]),
        };
        let (mut results, mut rest) = (Vec::with_capacity(2), operands);
        if let Some(kind) = result {
            let Some((first, tail)) = operands.split_first() else { return self.error("no result") };
            rest = tail;
            let (first, predicate) = match first {
                Operand::Pair(first, predicate) => (*first, *predicate),
                Operand::Register(register) => (Some(*register), None),
                Operand::Nothing => (None, None),
                _ => return self.error("the first operand is not a register"),
            };
            let as_operand = |register: Option<Register>| register.map_or(Operand::Nothing, Operand::Register);
            results.push((self.result(frame, &as_operand(first), kind)?, kind));
            if second {
                results.push((self.result(frame, &as_operand(predicate), P)?, P));
            }
        }
        let places = self.collective_sources(frame, operation, sources, rest)?;
        self.push(Action::Control(operation), guard, &results, &places);
        Ok(())
    }

    fn collective_sources(
        &mut self,
        frame: &mut Frame<'a>,
        operation: ControlOperation,
        kinds: &[OperandKind],
        operands: &[Operand],
    ) -> Lowered<Vec<(Place, OperandKind)>> {
        use ControlOperation as C;
        // The number of threads of a barrier may be left out; 0 then stands for all.
        let barrier = matches!(operation, C::Barrier | C::BarrierArrive | C::BarrierReduce(_));
        let all = Operand::Literal(Literal::Integer(0));
        let mut operands: Vec<&Operand> = operands.iter().collect();
        if barrier && operands.len() + 1 == kinds.len() {
            operands.insert(1, &all);
        }
        if operands.len() != kinds.len() {
            return self.error(format!("{} sources where {} are expected", operands.len(), kinds.len()));
        }
        let mut places = Vec::with_capacity(4);
        for (operand, &kind) in operands.into_iter().zip(kinds) {
            places.push((self.source(frame, operand, kind)?, kind));
        }
        Ok(places)
    }

    /// Inlines a call: the parameters of the callee are the variables that the caller named.
    fn call(&mut self, frame: &mut Frame<'a>, guard: Option<Guard>, operands: &'a [Operand]) -> Lowered<()> {
        if guard.is_some() {
            return self.unsupported("a call under a predicate");
        }
        let (results, operands) = match operands {
            [Operand::Arguments(results), rest @ ..] => (results.as_slice(), rest),
            _ => (&[][..], operands),
        };
        let [Operand::Symbol(name, 0), rest @ ..] = operands else {
            return self.unsupported("a call through a pointer");
        };
        let arguments = match rest {
            [] => &[][..],
            [Operand::Arguments(arguments)] => arguments.as_slice(),
            _ => return self.unsupported("a call through a pointer"),
        };
        let tree = self.tree;
        let Some(callee) = tree.functions.iter().find(|function| function.name == *name && function.body.is_some())
        else {
            return self.unsupported(&format!("a call of `{name}`, whose code is not in the module"));
        };
        if self.depth == MAX_CALL_DEPTH {
            return self
                .unsupported(&format!("recursion, or calls nested more than {MAX_CALL_DEPTH} deep, through `{name}`"));
        }
        self.out.labels.push(None);
        let end = self.out.labels.len() as u32 - 1;
        let mut inner = Frame::new(callee, Some(end));
        let formal = callee.results.iter().chain(&callee.parameters);
        let actual: Vec<_> = results.iter().chain(arguments).collect();
        if actual.len() != callee.results.len() + callee.parameters.len() {
            return self.error(format!("a call of `{name}` with another number of arguments"));
        }
        for (formal, actual) in formal.zip(actual) {
            let Operand::Symbol(argument, 0) = actual else {
                return self.error("an argument is not a `.param` variable");
            };
            let Some(&place) = frame.variables.get(argument.as_str()) else {
                return self.error(format!("`{argument}` is not declared"));
            };
            inner.variables.insert(&formal.name, place);
        }
        self.push(Action::Control(ControlOperation::Nothing), None, &[], &[]);
        self.depth += 1;
        self.function(&mut inner)?;
        self.depth -= 1;
        self.out.labels[end as usize] = Some(self.out.steps.len() as u32);
        Ok(())
    }
}

/// Adds a variable to a space and returns its offset.
fn reserve(bytes: &mut u64, variable: &Variable) -> u64 {
    let offset = bytes.next_multiple_of(variable.align);
    *bytes = offset + variable.bytes;
    offset
}
