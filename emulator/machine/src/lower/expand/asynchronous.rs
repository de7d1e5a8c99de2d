//! Asynchronous copies to shared memory.

use super::super::step::{Action, Uniform};
use super::expander::{Expander, Frame, Lowered, Placed};
use crate::ground::space::Space;
use crate::isa::asynchronous::Asynchronous;
use crate::isa::integer::Integer;
use crate::isa::logic::Select;
use crate::isa::mbarrier::{Arrival, Mbarrier, MbarrierAction};
use crate::isa::memory::Address;
use crate::isa::operation::Arithmetic;
use crate::ptx::tree::{Literal, Operand};
use crate::vector::registers::OperandKind;
use crate::vector::registers::OperandKind::{Narrow, Predicate, Wide};

impl<'a> Expander<'a> {
    pub(super) fn asynchronous(
        &mut self,
        frame: &mut Frame<'a>,
        operation: Asynchronous,
        operands: &[Operand],
    ) -> Lowered<()> {
        let sources = match (operation, operands) {
            (Asynchronous::Copy { widest_only }, [to, from, size, rest @ ..]) if rest.len() < 2 => {
                let bytes = self.copied_bytes(widest_only, size)?;
                let to = self.address(frame, Space::Shared, to)?;
                let from = self.address(frame, Space::Global, from)?;
                let read = self.bytes_to_read(frame, bytes, rest.first())?;
                vec![to, from, bytes, read]
            }
            (Asynchronous::BulkCopy { multicast }, [to, from, size, barrier, rest @ ..])
                if (usize::from(multicast)..=1 + usize::from(multicast)).contains(&rest.len()) =>
            {
                self.set_mask_aside(frame, multicast, rest)?;
                let to = self.address(frame, Space::Shared, to)?;
                let from = self.address(frame, Space::Global, from)?;
                let size = self.source(frame, size, OperandKind::Narrow)?;
                vec![to, from, size, self.address(frame, Space::Shared, barrier)?]
            }
            (Asynchronous::BulkStore { .. }, [to, from, size, hint @ ..]) if hint.len() < 2 => {
                let to = self.address(frame, Space::Global, to)?;
                let from = self.address(frame, Space::Shared, from)?;
                vec![to, from, self.source(frame, size, OperandKind::Narrow)?]
            }
            (Asynchronous::TensorLoad { dimensions, multicast }, [to, tensor, barrier, rest @ ..])
                if (usize::from(multicast)..=1 + usize::from(multicast)).contains(&rest.len()) =>
            {
                self.set_mask_aside(frame, multicast, rest)?;
                let to = self.address(frame, Space::Shared, to)?;
                let (map, corner) = self.tensor(frame, tensor, dimensions)?;
                let barrier = self.address(frame, Space::Shared, barrier)?;
                [to, map, barrier].into_iter().chain(corner).collect()
            }
            (Asynchronous::TensorStore { dimensions }, [tensor, from, hint @ ..]) if hint.len() < 2 => {
                let (map, corner) = self.tensor(frame, tensor, dimensions)?;
                let from = self.address(frame, Space::Shared, from)?;
                [map, from].into_iter().chain(corner).collect()
            }
            (Asynchronous::TensorLoad { .. }, _) => {
                return self.error("a load of a tensor takes an address, a tensor map with coordinates, and a barrier, and a mask for a multicast");
            }
            (Asynchronous::TensorStore { .. }, _) => {
                return self.error("a store of a tensor takes a tensor map with coordinates, and an address");
            }
            (Asynchronous::BulkStore { .. }, _) => {
                return self.error("a bulk store takes two addresses and a size");
            }
            (Asynchronous::BulkCopy { .. }, _) => {
                return self.error("a bulk copy takes two addresses, a size and a barrier, and a mask for a multicast");
            }
            (Asynchronous::Copy { .. }, _) => return self.error("a copy takes two addresses and a size"),
            (
                Asynchronous::WaitForGroups | Asynchronous::WaitForStores,
                [count @ Operand::Literal(Literal::Integer(_))],
            ) => {
                vec![self.source(frame, count, OperandKind::Narrow)?]
            }
            (Asynchronous::WaitForGroups | Asynchronous::WaitForStores, _) => {
                return self.error("the number of groups must be a constant");
            }
            (Asynchronous::Commit | Asynchronous::CommitStores | Asynchronous::WaitForAll, []) => Vec::new(),
            (Asynchronous::Commit | Asynchronous::CommitStores | Asynchronous::WaitForAll, _) => {
                return self.error("this instruction takes no operands");
            }
        };
        self.push(Action::Asynchronous(operation), &[], &sources);
        Ok(())
    }

    /// Sets aside the mask of a multicast: the copy has as many operands as a step can have without it.
    fn set_mask_aside(&mut self, frame: &mut Frame<'a>, multicast: bool, rest: &[Operand]) -> Lowered<()> {
        if let (true, Some(mask)) = (multicast, rest.first()) {
            let mask = self.source(frame, mask, OperandKind::Narrow)?;
            self.push(Action::SetAside { first: 0 }, &[], &[mask]);
        }
        Ok(())
    }

    /// Returns the address of a tensor map, and the coordinates of a box.
    fn tensor(&mut self, frame: &mut Frame<'a>, operand: &Operand, dimensions: u8) -> Lowered<(Placed, Vec<Placed>)> {
        let Operand::TensorAddress(map, coordinates) = operand else {
            return self.error("expected `[tensor map, {coordinates}]`");
        };
        let map = self.address(frame, Space::Generic, map)?;
        if map.1 != OperandKind::Wide {
            return self.error("generic addresses have 64 bits");
        }
        Ok((map, self.narrow_vector(frame, coordinates, dimensions.into())?))
    }

    /// Returns the size of a copy, which is a constant.
    fn copied_bytes(&mut self, widest_only: bool, size: &Operand) -> Lowered<Placed> {
        let sizes: &[u64] = if widest_only { &[16] } else { &[4, 8, 16] };
        match size {
            Operand::Literal(Literal::Integer(bytes)) if sizes.contains(bytes) => {
                Ok(self.uniform(OperandKind::Narrow, Uniform::Literal(*bytes)))
            }
            _ if widest_only => self.error("the size of the copy must be 16 bytes"),
            _ => self.error("the size of the copy must be 4, 8 or 16 bytes"),
        }
    }

    /// Returns the number of bytes that a copy reads. The optional last operand is this number, or a predicate for which it is 0.
    fn bytes_to_read(&mut self, frame: &mut Frame<'a>, bytes: Placed, operand: Option<&Operand>) -> Lowered<Placed> {
        let Some(operand) = operand else { return Ok(bytes) };
        if !self.is_predicate(frame, operand) {
            return self.source(frame, operand, OperandKind::Narrow);
        }
        let left_out = self.source(frame, operand, OperandKind::Predicate)?;
        let none = self.uniform(OperandKind::Narrow, Uniform::Literal(0));
        let read = self.temporary(OperandKind::Narrow);
        let select = Action::Arithmetic(Arithmetic::Select(Select::ByPredicate32));
        self.push(select, &[read], &[none, bytes, left_out]);
        Ok(read)
    }

    /// Returns an address, with its offset added, as one value.
    pub(super) fn address(&mut self, frame: &mut Frame<'a>, space: Space, operand: &Operand) -> Lowered<Placed> {
        if let Operand::SymbolAddress(name, _) = operand
            && ![space, Space::Generic].contains(&self.symbol(frame, name)?.0)
        {
            return self.error("the variable is in a different state space");
        }
        let target = self.target(frame, space, operand)?;
        let (base, kind) = self.base_register(&target);
        if target.offset == 0 {
            return Ok((base, kind));
        }
        let offset = self.uniform(kind, Uniform::Literal(target.offset as u64));
        let sum = self.temporary(kind);
        let add = if kind == OperandKind::Wide { Integer::Add64 } else { Integer::Add32 };
        self.compute(Arithmetic::Integer(add), sum, &[(base, kind), offset]);
        Ok(sum)
    }

    /// Returns an address in shared memory. The operand may be a generic address.
    pub(super) fn shared_address(
        &mut self,
        frame: &mut Frame<'a>,
        generic: bool,
        operand: &Operand,
    ) -> Lowered<Placed> {
        if !generic {
            return self.address(frame, Space::Shared, operand);
        }
        let address = self.address(frame, Space::Generic, operand)?;
        if address.1 != OperandKind::Wide {
            return self.error("generic addresses have 64 bits");
        }
        let shared = self.temporary(OperandKind::Wide);
        self.compute(Arithmetic::Address(Address::ToShared), shared, &[address]);
        Ok(shared)
    }
}

/// The default number of arrivals.
const ONCE: Operand = Operand::Literal(Literal::Integer(1));

impl<'a> Expander<'a> {
    pub(super) fn mbarrier(&mut self, frame: &mut Frame<'a>, operation: Mbarrier, operands: &[Operand]) -> Lowered<()> {
        use MbarrierAction as A;
        let (result, address, second) = match (operation.action, operands) {
            (A::Initialize | A::Expect, [address, count]) => (None, address, Some((count, Narrow))),
            (A::Invalidate | A::ArriveAfterCopies { .. }, [address]) => (None, address, None),
            (A::Arrive(Arrival { expects: false, no_complete: false, .. }), [state, address]) => {
                (Some((state, Wide)), address, Some((&ONCE, Narrow)))
            }
            (A::Arrive(_), [state, address, count]) => (Some((state, Wide)), address, Some((count, Narrow))),
            // A time limit may follow.
            (A::Test { parity, waits }, [over, address, phase, rest @ ..]) if rest.len() <= usize::from(waits) => {
                (Some((over, Predicate)), address, Some((phase, if parity { Narrow } else { Wide })))
            }
            _ => return self.error("wrong number of operands"),
        };
        let mut results = Vec::new();
        if let Some((operand, kind)) = result {
            results.push(self.result(frame, operand, kind)?);
        }
        let mut sources = vec![self.shared_address(frame, operation.generic, address)?];
        if let Some((operand, kind)) = second {
            sources.push(self.source(frame, operand, kind)?);
        }
        self.push(Action::Mbarrier(operation), &results, &sources);
        Ok(())
    }
}
