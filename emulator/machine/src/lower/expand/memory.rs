//! Loads, stores and atomics.

use super::super::step::{Action, Uniform};
use super::expander::{Expander, Frame, Lowered, Placed};
use crate::ground::space::Space;
use crate::isa::logic::Move;
use crate::isa::memory::{AtomicFunction, Element, MemoryOperation};
use crate::isa::operation::Arithmetic;
use crate::isa::texture::Texture;
use crate::ptx::tree::Operand;
use crate::vector::registers::OperandKind;
use crate::vector::registers::OperandKind::{Narrow, Wide};

/// The target of an address operand, without the value of its register.
pub(super) struct Target {
    pub(super) space: Space,
    base: Option<Placed>,
    pub(super) offset: i64,
    /// Whether it is a parameter of an inlined call.
    call: bool,
}

impl<'a> Expander<'a> {
    /// Resolves an address operand.
    pub(super) fn target(&mut self, frame: &mut Frame<'a>, space: Space, operand: &Operand) -> Lowered<Target> {
        match operand {
            Operand::RegisterAddress(register, offset) => {
                let kind = self.kind_of(frame, &Operand::Register(*register))?;
                let base = Some(self.register(frame, *register, kind)?);
                // The parameters of an inlined call are in local memory.
                let call = space == Space::Parameter && frame.is_called();
                let space = if call { Space::Local } else { space };
                Ok(Target { space, base, offset: *offset, call })
            }
            Operand::AbsoluteAddress(address) => Ok(Target { space, base: None, offset: *address as i64, call: false }),
            Operand::SymbolAddress(name, offset) => {
                let (home, address) = self.symbol(frame, name)?;
                let Some(address) = address else {
                    let base = Some(self.uniform(OperandKind::Wide, Uniform::DynamicShared(0)));
                    return Ok(Target { space: home, base, offset: *offset, call: false });
                };
                // The parameters of an inlined call are in local memory.
                let call =
                    home == Space::Parameter && (frame.is_called() || !self.kernel_parameters.contains(name.as_str()));
                let home = if call { Space::Local } else { home };
                let window = if space == Space::Generic { home.base() } else { 0 };
                let space = if call { home } else { space };
                let offset = address.wrapping_add(window).wrapping_add(*offset as u64) as i64;
                // In a cluster, the addresses of shared memory differ between blocks.
                let is_shared = home == Space::Shared;
                let base = is_shared.then(|| self.uniform(OperandKind::Wide, Uniform::Shared(0)));
                let base = base.or(self.frame_base.filter(|_| home == Space::Local));
                Ok(Target { space, base, offset, call })
            }
            _ => self.error("expected an address in brackets"),
        }
    }

    pub(super) fn memory(
        &mut self,
        frame: &mut Frame<'a>,
        operation: MemoryOperation,
        operands: &[Operand],
    ) -> Lowered<()> {
        match operation {
            MemoryOperation::Load { space, element, lanes } => {
                let [result, address] = operands else { return self.error("a load takes two operands") };
                let target = self.target(frame, space, address)?;
                self.require_registers(result)?;
                let results = self.vector(frame, result, lanes, element.bytes)?;
                if target.space == Space::Parameter && target.base.is_none() {
                    return self.load_parameter(element, &results, target.offset);
                }
                let operation = MemoryOperation::Load { space: target.space, element, lanes };
                let (action, base) = self.access(operation, &target);
                self.push(action, &results, &[base]);
            }
            MemoryOperation::Store { space, element, lanes } => {
                let [address, value] = operands else { return self.error("a store takes two operands") };
                let target = self.target(frame, space, address)?;
                if target.space == Space::Parameter {
                    return self.error("kernel parameters are read-only");
                }
                let values = self.vector(frame, value, lanes, element.bytes)?;
                let operation = MemoryOperation::Store { space: target.space, element, lanes };
                let (action, base) = self.access(operation, &target);
                let sources: Vec<_> = [base].into_iter().chain(values).collect();
                self.push(action, &[], &sources);
            }
            MemoryOperation::Atomic { .. } => self.atomic(frame, operation, operands)?,
        }
        Ok(())
    }

    fn atomic(&mut self, frame: &mut Frame<'a>, operation: MemoryOperation, operands: &[Operand]) -> Lowered<()> {
        let MemoryOperation::Atomic { space, element, function, lanes, returns, counts } = operation else {
            return self.error("expected an atomic");
        };
        let kind = if element.bytes == 8 { OperandKind::Wide } else { OperandKind::Narrow };
        let (result, rest) = match operands.split_first() {
            Some((first, rest)) if returns => (Some(first), rest),
            _ => (None, operands),
        };
        let taken = if function == AtomicFunction::CompareAndSwap { 2 } else { 1 };
        let Some((address, values)) = rest.split_first().filter(|(_, values)| values.len() == taken) else {
            return self
                .error(format!("this atomic takes an address and {taken} value{}", if taken == 1 { "" } else { "s" }));
        };
        let target = self.target(frame, space, address)?;
        let mut sources = Vec::with_capacity(4);
        for value in values {
            sources.extend(match lanes {
                1 => vec![self.source(frame, value, kind)?],
                _ => self.vector(frame, value, lanes, element.bytes)?,
            });
        }
        let results = match result {
            Some(vector) if lanes > 1 => {
                self.require_registers(vector)?;
                self.vector(frame, vector, lanes, element.bytes)?
            }
            Some(Operand::Nothing) | None => vec![self.temporary(kind)],
            Some(operand) => vec![self.result(frame, operand, kind)?],
        };
        if lanes > 1 && returns {
            self.set_aside(0, &sources);
            sources.clear();
        }
        let operation = MemoryOperation::Atomic { space: target.space, element, function, lanes, returns, counts };
        let (action, base) = self.access(operation, &target);
        sources.insert(0, base);
        self.push(action, &results, &sources);
        Ok(())
    }

    fn access(&mut self, operation: MemoryOperation, target: &Target) -> (Action, Placed) {
        let action = Action::Memory { operation, offset: target.offset, visible: !target.call };
        (action, self.base_register(target))
    }

    /// Returns the register of an address, or zero.
    pub(super) fn base_register(&mut self, target: &Target) -> Placed {
        target.base.unwrap_or_else(|| self.uniform(OperandKind::Wide, Uniform::Literal(0)))
    }

    /// Loads a kernel parameter at a constant offset: a value that all threads share.
    fn load_parameter(&mut self, element: Element, results: &[Placed], offset: i64) -> Lowered<()> {
        for (index, &result) in results.iter().enumerate() {
            let offset = offset.wrapping_add(index as i64 * i64::from(element.bytes));
            let Ok(offset) = u32::try_from(offset) else { return self.error("an address outside the parameters") };
            let value = Uniform::Parameter { offset, bytes: element.bytes, signed: element.signed };
            let source = self.uniform(result.1, value);
            let copy = if result.1 == OperandKind::Wide { Move::Wide } else { Move::Narrow };
            self.compute(Arithmetic::Move(copy), result, &[source]);
        }
        Ok(())
    }

    /// Expands a read of a texture. The coordinates are set aside.
    pub(super) fn texture(&mut self, frame: &mut Frame<'a>, operation: Texture, operands: &[Operand]) -> Lowered<()> {
        let [values, Operand::TensorAddress(handle, coordinates)] = operands else {
            return self.error("expected four results, and a texture and coordinates in brackets");
        };
        let Operand::RegisterAddress(handle, 0) = **handle else {
            return self.unsupported("a texture that is not an object whose handle is in a register");
        };
        let coordinates = self.vector(frame, coordinates, operation.coordinates(), 4)?;
        if coordinates.iter().any(|(_, kind)| *kind != Narrow) {
            return self.error("coordinates have 32 bits");
        }
        let handle = self.register(frame, handle, Wide)?;
        self.require_registers(values)?;
        let values = self.vector(frame, values, 4, 4)?;
        self.set_aside(0, &coordinates);
        self.push(Action::Texture(operation), &values, &[handle]);
        Ok(())
    }
}
