//! `printf` in kernels: calls of `vprintf`, with the format and a buffer of the arguments.

mod conversion;
mod float;
mod format;

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::Observer;
use super::stop::{Run, Stop};
use crate::ground::fault::FaultKind;
use crate::ground::lanes::active;
use format::{Arguments, Unreadable, format};

/// The arguments of one thread's call, one after the other, each aligned to its size.
struct Buffer<'a, 'b, O> {
    machine: &'a BlockMachine<'b, O>,
    thread: (usize, usize),
    next: u64,
}

impl<O: Observer> Arguments for Buffer<'_, '_, O> {
    fn number(&mut self, bytes: u64) -> Result<u64, Unreadable> {
        let address = self.next.checked_next_multiple_of(bytes).unwrap_or(u64::MAX);
        self.next = address.wrapping_add(bytes);
        self.machine.number_at(self.thread, address, bytes).ok_or(Unreadable { what: "an argument", address })
    }

    fn text(&self, address: u64) -> Result<Vec<u8>, Unreadable> {
        self.machine.text_at(self.thread, address).ok_or(Unreadable { what: "the text of a %s", address })
    }
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Prints the text of each active lane. The operands are the result, the format, and the buffer of the arguments.
    pub(super) fn print(&mut self, step: &BoundStep) -> Run<bool> {
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let mask = self.lanes.masks[index];
            for lane in active(mask) {
                let printed = self.print_of(step, (warp, lane));
                let (text, count) = printed.map_err(|unreadable| self.unreadable(&unreadable, index, lane))?;
                self.memories.device.print(&text);
                self.registers.set_value(step.operand(0), warp, lane, count);
            }
        }
        Ok(self.advance())
    }

    /// Returns the text of one thread and the number of its arguments.
    fn print_of(&self, step: &BoundStep, thread: (usize, usize)) -> Result<(Vec<u8>, u64), Unreadable> {
        let operand = |index| self.registers.value(step.operand(index), thread.0, thread.1);
        let address = operand(1);
        let next = operand(2);
        let text = self.text_at(thread, address).ok_or(Unreadable { what: "the format", address })?;
        format(&text, &mut Buffer { machine: self, thread, next })
    }

    fn unreadable(&self, unreadable: &Unreadable, index: usize, lane: usize) -> Box<Stop> {
        let Unreadable { what, address } = unreadable;
        let place = self.memories.view.describe(*address);
        let detail = format!("printf reads {what} at {address:#x}, {place}");
        self.fault(FaultKind::OutOfBounds, index, 1 << lane, detail)
    }
}
