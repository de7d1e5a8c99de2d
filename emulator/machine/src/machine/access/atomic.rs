//! Atomics and reductions, executed lane by lane in ascending order.

use super::Request;
use crate::ground::lanes::active;
use crate::isa::float::flush;
use crate::isa::memory::AtomicFunction;
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::stop::Run;
use crate::machine::word::{cells, read, update, write};
use crate::vector::registers::Registers;

impl<O: Observer> BlockMachine<'_, O> {
    pub(super) fn atomic_shared(&mut self, request: &Request<'_>, function: AtomicFunction, returns: bool) -> Run<()> {
        let element = request.element;
        for lane in active(request.addresses.mask) {
            let offset = self.private_offset(request, lane)?;
            let (b, c) = atomic_operands(&self.registers, request, lane, 0);
            let old = read(&self.memories.shared, offset, element.bytes);
            let new = combine(function, element.bytes, old, b, c);
            self.spin.note_change(new != old);
            write(cells(&mut self.memories.shared), offset, element.bytes, new);
            if returns {
                self.registers.set_value(request.step.operand(0), request.warp, lane, old);
            }
        }
        Ok(())
    }

    pub(super) fn atomic_device(&mut self, request: &Request<'_>, function: AtomicFunction, returns: bool) -> Run<()> {
        let memory = self.memories.device;
        for lane in active(request.addresses.mask) {
            let address = request.addresses.at(lane);
            let position = self.group.position as usize;
            let Some(region) = self.memories.view.find_to_write(position, address, request.bytes()) else {
                return Err(self.device_fault(request, lane));
            };
            let offset = (address - region.base) as usize;
            let bytes = request.element.bytes;
            for part in 0..usize::from(request.lanes) {
                let (b, c) = atomic_operands(&self.registers, request, lane, part);
                let offset = offset + part * usize::from(bytes);
                let new = |old| combine_on_device(function, bytes, old, b, c);
                let old = if bytes == 8 {
                    let _guard = memory.lock_wide_atomics();
                    let old = read(&region.words, offset, 8);
                    write(&region.words, offset, 8, new(old));
                    old
                } else {
                    update(&region.words, offset, bytes, new)
                };
                self.memories.changed = self.memories.changed || new(old) != old;
                if returns {
                    self.registers.set_value(request.step.operand(part), request.warp, lane, old);
                }
            }
        }
        Ok(())
    }
}

/// Returns the one or two source values of element `part` of an atomic: the operands after result and address. A vector has
/// one per element.
fn atomic_operands(registers: &Registers, request: &Request<'_>, lane: usize, part: usize) -> (u64, u64) {
    let operand = |index| registers.value(request.step.operand(index), request.warp, lane);
    let second = request.lanes == 1 && request.step.kinds[3].is_some();
    (operand(2 + part), if second { operand(3) } else { 0 })
}

/// Returns the new value, of 2, 4 or 8 bytes.
fn combine(function: AtomicFunction, bytes: u8, old: u64, b: u64, c: u64) -> u64 {
    use AtomicFunction as F;
    let signed = |value: u64| if bytes == 8 { value as i64 } else { i64::from(value as u32 as i32) };
    match function {
        F::AddInteger => old.wrapping_add(b),
        F::AddFloat if bytes == 8 => (f64::from_bits(old) + f64::from_bits(b)).to_bits(),
        F::Halves(half) => u64::from(half.apply(old as u32, b as u32, 0)),
        F::AddFloat => u64::from((f32::from_bits(old as u32) + f32::from_bits(b as u32)).to_bits()),
        F::MinUnsigned => old.min(b),
        F::MaxUnsigned => old.max(b),
        F::MinSigned => signed(old).min(signed(b)) as u64,
        F::MaxSigned => signed(old).max(signed(b)) as u64,
        F::Increment if old >= b => 0,
        F::Increment => old + 1,
        F::Decrement if old == 0 || old > b => b,
        F::Decrement => old - 1,
        F::And => old & b,
        F::Or => old | b,
        F::Xor => old ^ b,
        F::Exchange => b,
        F::CompareAndSwap => {
            // The upper half of the register of a 16-bit value is unspecified.
            if old == if bytes == 2 { b & 0xFFFF } else { b } { c } else { old }
        }
    }
}

/// Returns the new value in global memory. For sums of `f32`, hardware flushes subnormals to zero there, but not in shared
/// memory.
pub(super) fn combine_on_device(function: AtomicFunction, bytes: u8, old: u64, b: u64, c: u64) -> u64 {
    let single = |bits: u64| flush(f32::from_bits(bits as u32));
    match function {
        AtomicFunction::AddFloat if bytes == 4 => u64::from(flush(single(old) + single(b)).to_bits()),
        _ => combine(function, bytes, old, b, c),
    }
}
