//! Resolution of operands: registers, literals, special registers, addresses of variables.

use super::super::special::Special;
use super::super::step::{Action, Uniform, Value};
use super::expander::{Expander, Frame, Lowered, Placed};
use crate::ground::space::Space;
use crate::isa::integer::Integer;
use crate::isa::logic::Logic;
use crate::isa::operation::Arithmetic;
use crate::ptx::tree::{Literal, Operand, Register, Width};
use crate::vector::registers::OperandKind;

impl<'a> Expander<'a> {
    pub(super) fn register(&mut self, frame: &mut Frame<'a>, register: Register, kind: OperandKind) -> Lowered<Placed> {
        let width = frame.function.registers[register as usize];
        if width != width_of(kind) {
            return self.error(format!("expected {}, found {}", describe(width_of(kind)), describe(width)));
        }
        if let Some(&place) = frame.registers.get(&register) {
            return Ok(place);
        }
        let place = self.temporary(kind);
        frame.registers.insert(register, place);
        Ok(place)
    }

    /// Returns the register file of a register operand. A literal fits any file.
    pub(super) fn kind_of(&self, frame: &Frame<'a>, operand: &Operand) -> Lowered<OperandKind> {
        let Operand::Register(register) = operand else { return Ok(OperandKind::Narrow) };
        match frame.function.registers[*register as usize] {
            Width::Narrow => Ok(OperandKind::Narrow),
            Width::Wide => Ok(OperandKind::Wide),
            Width::Predicate => self.error("expected a value, found a predicate"),
            Width::Quad => self.unsupported("128-bit registers"),
        }
    }

    /// Returns whether an operand is a predicate.
    pub(super) fn is_predicate(&self, frame: &Frame<'a>, operand: &Operand) -> bool {
        match operand {
            Operand::Negated(_) => true,
            Operand::Register(register) => frame.function.registers[*register as usize] == Width::Predicate,
            _ => false,
        }
    }

    pub(super) fn result(&mut self, frame: &mut Frame<'a>, operand: &Operand, kind: OperandKind) -> Lowered<Placed> {
        match operand {
            Operand::Register(register) => self.register(frame, *register, kind),
            Operand::Nothing => Ok(self.temporary(kind)),
            _ => self.error("the first operand is not a register"),
        }
    }

    pub(super) fn source(&mut self, frame: &mut Frame<'a>, operand: &Operand, kind: OperandKind) -> Lowered<Placed> {
        match operand {
            Operand::Register(register) => self.register(frame, *register, kind),
            Operand::Negated(_) if kind != OperandKind::Predicate => self.error("expected a value, found a predicate"),
            Operand::Negated(register) => {
                let plain = self.register(frame, *register, OperandKind::Predicate)?;
                Ok(self.value(Arithmetic::Logic(Logic::NotPredicate), OperandKind::Predicate, &[plain]))
            }
            Operand::Literal(literal) => self.literal(*literal, kind),
            Operand::Special(name) => self.special(name, kind),
            Operand::Symbol(name, offset) => self.symbol_value(frame, name, *offset, kind),
            _ => self.error("unexpected kind of operand"),
        }
    }

    fn literal(&mut self, literal: Literal, kind: OperandKind) -> Lowered<Placed> {
        let bits = match (literal, kind) {
            (Literal::Integer(value), OperandKind::Narrow) => value & 0xFFFF_FFFF,
            (Literal::Integer(value), OperandKind::Predicate) => u64::from(value != 0),
            (Literal::Integer(value), OperandKind::Wide) => value,
            (Literal::Single(bits), OperandKind::Narrow) => u64::from(bits),
            (Literal::Double(bits), OperandKind::Wide) => bits,
            (Literal::Double(bits), OperandKind::Narrow) => u64::from((f64::from_bits(bits) as f32).to_bits()),
            (Literal::Single(bits), OperandKind::Wide) => f64::from(f32::from_bits(bits)).to_bits(),
            _ => return self.error("expected a predicate, found a floating-point value"),
        };
        Ok(self.uniform(kind, Uniform::Literal(bits)))
    }

    fn special(&mut self, name: &str, kind: OperandKind) -> Lowered<Placed> {
        if let Some((file, high)) = clock(name) {
            if kind != file {
                return self.error(format!("`%{name}` has {} bits", if file == OperandKind::Wide { 64 } else { 32 }));
            }
            let place = self.temporary(kind);
            self.push_always(Action::Clock { high }, &[place], &[]);
            return Ok(place);
        }
        let Some(special) = Special::from_name(name) else {
            return self.unsupported(&format!("special register `%{name}`"));
        };
        if (kind == OperandKind::Predicate) != (special == Special::HasClusters) {
            return self.error(match special {
                Special::HasClusters => format!("`%{name}` is a predicate"),
                _ => format!("`%{name}` is not a predicate"),
            });
        }
        if !special.differs_by_warp() {
            return Ok(self.uniform(kind, Uniform::Special(special)));
        }
        if kind != OperandKind::Narrow {
            return self.error(format!("`%{name}` has 32 bits"));
        }
        let register = match self.out.specials.get(&special) {
            Some(&register) => register,
            None => self.new_register(kind),
        };
        self.out.specials.insert(special, register);
        Ok((Value::Register(register), kind))
    }

    /// Returns the address of a variable as a value (`mov.u64 %rd1, name`).
    fn symbol_value(&mut self, frame: &Frame<'a>, name: &str, offset: i64, kind: OperandKind) -> Lowered<Placed> {
        match self.symbol(frame, name)? {
            (_, None) => Ok(self.uniform(kind, Uniform::DynamicShared(offset))),
            (Space::Shared, Some(address)) => {
                Ok(self.uniform(kind, Uniform::Shared(address.wrapping_add(offset as u64))))
            }
            (space, Some(address)) => {
                let address = self.uniform(kind, Uniform::Literal(address.wrapping_add(offset as u64)));
                match self.frame_base.filter(|_| matches!(space, Space::Local | Space::Parameter)) {
                    Some(base) if kind == OperandKind::Wide => {
                        Ok(self.value(Arithmetic::Integer(Integer::Add64), kind, &[base, address]))
                    }
                    Some(_) => self.error(format!("the address of `{name}` has 64 bits")),
                    None => Ok(address),
                }
            }
        }
    }

    /// Returns the space and address of a variable. The address of dynamic shared memory is `None`.
    pub(super) fn symbol(&mut self, frame: &Frame<'a>, name: &str) -> Lowered<(Space, Option<u64>)> {
        if let Some(&(space, address)) = frame.variables.get(name) {
            return Ok((space, Some(address)));
        }
        let names = self.names;
        if let Some(variable) = names.shared.get(name) {
            if variable.external || variable.bytes == 0 {
                return Ok((Space::Shared, None));
            }
            let offset = match self.shared.get(name) {
                Some(&offset) => offset,
                None => self.reserve_shared(variable)?,
            };
            self.shared.insert(&variable.name, offset);
            return Ok((Space::Shared, Some(offset)));
        }
        if let Some(reason) = names.refused.get(name) {
            return self.unsupported(reason);
        }
        match names.symbols.get(name) {
            Some(symbol) => Ok((symbol.space, Some(symbol.address))),
            None => self.address_of_function(name),
        }
    }

    /// Returns the address of a function. That of a kernel is used by launches from the device, and refused.
    fn address_of_function(&self, name: &str) -> Lowered<(Space, Option<u64>)> {
        if let Some(callee) = self.names.behind_pointers.iter().find(|callee| callee.function.name == name) {
            return Ok((Space::Global, Some(callee.address)));
        }
        match self.names.kinds.get(name) {
            Some(true) => {
                self.unsupported(&format!("a kernel that launches kernels from the device (the address of `{name}`)"))
            }
            Some(false) => self.unsupported(&format!("a function pointer (the address of `{name}`)")),
            None => self.error(format!("`{name}` is not declared")),
        }
    }

    /// Fails if a result is neither a register nor a vector of registers.
    pub(super) fn require_registers(&self, operand: &Operand) -> Lowered<()> {
        let parts = match operand {
            Operand::Vector(parts) => parts.as_slice(),
            _ => std::slice::from_ref(operand),
        };
        let taken = |part: &Operand| matches!(part, Operand::Register(_) | Operand::Nothing);
        if parts.iter().all(taken) { Ok(()) } else { self.error("the first operand is not a register") }
    }

    /// Returns the registers of a vector operand, or a single register.
    pub(super) fn vector(
        &mut self,
        frame: &mut Frame<'a>,
        operand: &Operand,
        lanes: u8,
        bytes: u8,
    ) -> Lowered<Vec<Placed>> {
        let single = std::slice::from_ref(operand);
        let parts = match operand {
            Operand::Vector(parts) => parts.as_slice(),
            _ => single,
        };
        if parts.len() != usize::from(lanes) {
            return self.error(format!("expected {lanes} registers, found {}", parts.len()));
        }
        let mut list = Vec::with_capacity(4);
        for part in parts {
            let kind = match part {
                Operand::Register(_) => self.kind_of(frame, part)?,
                _ if bytes == 8 => OperandKind::Wide,
                _ => OperandKind::Narrow,
            };
            if bytes == 8 && kind != OperandKind::Wide {
                return self.error("eight bytes do not fit into the register");
            }
            list.push(match part {
                Operand::Nothing => self.temporary(kind),
                _ => self.source(frame, part, kind)?,
            });
        }
        Ok(list)
    }
}

/// Returns the register file of a clock, and whether it is the high half. All clocks are the same: see [`Action::Clock`].
fn clock(name: &str) -> Option<(OperandKind, bool)> {
    match name {
        "clock" | "globaltimer_lo" => Some((OperandKind::Narrow, false)),
        "clock_hi" | "globaltimer_hi" => Some((OperandKind::Narrow, true)),
        "clock64" | "globaltimer" => Some((OperandKind::Wide, false)),
        _ => None,
    }
}

/// Returns the declared width of the registers of a file.
fn width_of(kind: OperandKind) -> Width {
    match kind {
        OperandKind::Narrow => Width::Narrow,
        OperandKind::Wide => Width::Wide,
        OperandKind::Predicate => Width::Predicate,
    }
}

/// Returns the description of a register for error messages.
fn describe(width: Width) -> &'static str {
    match width {
        Width::Predicate => "a predicate",
        Width::Narrow => "a register of at most 32 bits",
        Width::Wide => "a 64-bit register",
        Width::Quad => "a 128-bit register",
    }
}
