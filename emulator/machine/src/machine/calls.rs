//! Calls of functions that are not inlined (`lower/expand/subroutine.rs`), and the stack of each thread.
//!
//! The lanes of a call become a split of their warp that ends when all have returned. A call through a pointer has a split for each
//! of its functions. Lanes keep the registers of callers that may be called again, each on a stack of its own, because lanes
//! need not return in the order of their calls.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::Observer;
use super::stop::{Run, Stop};
use super::word::read;
use crate::ground::fault::FaultKind;
use crate::ground::lanes::{WARP_SIZE, active};
use crate::ground::space::Space;
use crate::lower::step::{Program, Slot, Subroutine};
use crate::vector::registers::{Operand, OperandKind};

/// The alignment of frames in bytes.
const FRAME_ALIGNMENT: u32 = 16;

/// The largest number of bytes of a text at a generic address.
const MAX_TEXT_BYTES: u64 = 1 << 16;

/// The register files, in the order of [`Subroutine::slots`].
const FILES: [OperandKind; 3] = [OperandKind::Narrow, OperandKind::Wide, OperandKind::Predicate];

impl<O: Observer> BlockMachine<'_, O> {
    /// Makes the frame behind the caller's the current one. The operand holds the address of the current frame.
    pub(super) fn enter_frame(&mut self, step: &BoundStep, caller: Option<u32>) -> bool {
        let bytes = self.frame_bytes(caller);
        let kept = self.kept(caller);
        for (warp, mask) in self.lanes.each() {
            for lane in active(mask) {
                let values: Vec<u64> =
                    kept.iter().map(|&register| self.registers.value(register, warp, lane)).collect();
                let stacks = &mut self.warps[warp].kept;
                stacks.resize_with(stacks.len().max(lane + 1), Vec::new);
                stacks[lane].extend(values);
                let frame = self.registers.value(step.operand(1), warp, lane);
                self.registers.set_value(step.operand(0), warp, lane, frame.wrapping_add(bytes));
            }
        }
        self.advance()
    }

    /// Makes the caller's frame the current one again.
    pub(super) fn leave_frame(&mut self, step: &BoundStep, caller: Option<u32>) -> bool {
        let bytes = self.frame_bytes(caller);
        let kept = self.kept(caller);
        for (warp, mask) in self.lanes.each() {
            for lane in active(mask) {
                for &register in kept.iter().rev() {
                    let value = self.warps[warp].kept.get_mut(lane).and_then(Vec::pop).unwrap_or_default();
                    self.registers.set_value(register, warp, lane, value);
                }
                let frame = self.registers.value(step.operand(1), warp, lane);
                self.registers.set_value(step.operand(0), warp, lane, frame.wrapping_sub(bytes));
            }
        }
        self.advance()
    }

    /// Calls a subroutine.
    pub(super) fn call(&mut self, function: u32) -> Run<bool> {
        for index in 0..self.lanes.warps.len() {
            self.call_lanes(index, &[(function, self.lanes.masks[index])])?;
        }
        Ok(false)
    }

    /// Calls the subroutines whose addresses the operand holds.
    pub(super) fn call_pointer(&mut self, step: &BoundStep, argument_bytes: u32) -> Run<bool> {
        let subroutines = &self.bound.program.subroutines;
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let mut callees: Vec<(u32, u32)> = Vec::new();
            for lane in active(self.lanes.masks[index]) {
                let address = self.registers.value(step.operand(0), warp, lane);
                let found = subroutines.iter().zip(0..).find(|(subroutine, _)| subroutine.address == address);
                let function = match found {
                    Some((subroutine, function)) if subroutine.argument_bytes == argument_bytes => Ok(function),
                    Some((Subroutine { name, .. }, _)) => Err(format!("`{name}`, which takes other arguments")),
                    None => Err("not the address of a function with such arguments".to_owned()),
                };
                let function = function
                    .map_err(|what| self.fault(FaultKind::Call, index, 1 << lane, format!("{address:#x} is {what}")))?;
                match callees.iter_mut().find(|(known, _)| *known == function) {
                    Some((_, mask)) => *mask |= 1 << lane,
                    None => callees.push((function, 1 << lane)),
                }
            }
            self.call_lanes(index, &callees)?;
        }
        Ok(false)
    }

    /// Calls subroutines with lanes of member `index` of the group.
    fn call_lanes(&mut self, index: usize, callees: &[(u32, u32)]) -> Run<()> {
        let program = self.bound.program;
        let mut targets = Vec::with_capacity(callees.len());
        for &(function, mask) in callees {
            let subroutine = &program.subroutines[function as usize];
            self.require_room(index, mask, subroutine)?;
            self.observer.part(self.group.members[index].0, mask, self.lanes.masks[index] & !mask);
            targets.push((subroutine.entry, mask));
        }
        let (warp, split) = self.group.members[index];
        self.warps[warp].call(split, &targets, self.group.position + 1);
        Ok(())
    }

    /// Fails if the frame of a subroutine does not fit on the stack of a lane. The frame pointer is in the first slot of its file.
    fn require_room(&self, index: usize, mask: u32, callee: &Subroutine) -> Run<()> {
        let program = self.bound.program;
        let most = program.subroutines.iter().map(|subroutine| subroutine.argument_bytes).max().unwrap_or(0);
        let end = u64::from(program.local_bytes.saturating_sub(most));
        let warp = usize::from(self.lanes.warps[index]);
        let full = active(mask).find(|&lane| {
            let frame = self.registers.value(self.operand_of((OperandKind::Wide, 0)), warp, lane);
            frame + u64::from(callee.frame_bytes) > end
        });
        match full {
            Some(lane) => Err(self.overflow(index, lane, callee)),
            None => Ok(()),
        }
    }

    #[cold]
    fn overflow(&self, index: usize, lane: usize, callee: &Subroutine) -> Box<Stop> {
        let Program { stack_bytes, .. } = self.bound.program;
        let Subroutine { name, frame_bytes, .. } = callee;
        let detail = format!(
            "stack overflow: no room for {frame_bytes} more bytes of `{name}` on the stack of {stack_bytes} bytes of a thread"
        );
        self.fault(FaultKind::Call, index, 1 << lane, detail)
    }

    /// Returns to the callers.
    pub(super) fn leave_call(&mut self, step: &BoundStep) -> bool {
        let count = self.lanes.warps.len();
        if (0..count).all(|index| self.active(step.guard, index) == 0) {
            return self.advance();
        }
        self.leave_at(self.group.position + 1);
        for index in 0..count {
            let leaving = self.active(step.guard, index);
            let (warp, split) = self.group.members[index];
            if leaving != 0 {
                self.observer.part(warp, leaving, self.lanes.masks[index] & !leaving);
                self.warps[warp].leave_call(split, leaving);
            }
        }
        false
    }

    /// Returns the size of the frame of a function; `None` is the kernel.
    fn frame_bytes(&self, function: Option<u32>) -> u64 {
        let Program { local_bytes, stack_bytes, subroutines, .. } = self.bound.program;
        u64::from(match function {
            Some(function) => subroutines[function as usize].frame_bytes,
            None => (local_bytes - stack_bytes).next_multiple_of(FRAME_ALIGNMENT),
        })
    }

    /// Returns the registers that a call by `caller` may overwrite: those of a recursive function.
    fn kept(&self, caller: Option<u32>) -> Vec<Operand> {
        let caller = caller.map(|caller| &self.bound.program.subroutines[caller as usize]);
        let recursive = caller.filter(|caller| caller.recursive).into_iter();
        let slots = recursive.flat_map(|caller| FILES.iter().zip(&caller.slots));
        slots.flat_map(|(&file, slots)| slots.clone().map(move |slot| self.operand_of((file, slot)))).collect()
    }

    fn operand_of(&self, (kind, slot): (OperandKind, u32)) -> Operand {
        Operand { kind, rows: self.bound.rows(Slot::Register(slot), kind) }
    }

    /// Returns the byte at a generic address, as the thread in this lane of this warp reads it. Returns `None` outside of
    /// memory.
    fn byte_at(&self, (warp, lane): (usize, usize), address: u64) -> Option<u8> {
        let space = Space::from_address(address);
        let offset = address.wrapping_sub(space.base());
        let within = |bytes: u64| (offset < bytes).then_some(offset as usize);
        match space {
            Space::Shared => {
                let offset = self.own_offset(offset);
                let within = |bytes: u64| (offset < bytes).then_some(offset as usize);
                within(self.bound.shared_bytes() as u64).map(|at| read(&self.memories.shared, at, 1) as u8)
            }
            Space::Local => {
                let bytes = u64::from(self.bound.program.local_bytes);
                let start = bytes.next_multiple_of(4) as usize * (warp * WARP_SIZE + lane);
                within(bytes).map(|at| read(&self.memories.local, start + at, 1) as u8)
            }
            Space::Parameter => self.bound.launch.parameters.get(offset as usize).copied(),
            Space::Generic | Space::Global | Space::Constant => self.memories.device.byte(address),
        }
    }

    /// Returns the little-endian number of `bytes` bytes at a generic address.
    pub(super) fn number_at(&self, thread: (usize, usize), address: u64, bytes: u64) -> Option<u64> {
        (0..bytes).rev().try_fold(0, |number, index| {
            let byte = self.byte_at(thread, address.wrapping_add(index))?;
            Some(number << 8 | u64::from(byte))
        })
    }

    /// Returns the text at a generic address, which ends before a NUL or at the end of its memory. Returns `None` outside of
    /// memory.
    pub(super) fn text_at(&self, thread: (usize, usize), address: u64) -> Option<Vec<u8>> {
        self.byte_at(thread, address)?;
        let addresses = address..address.saturating_add(MAX_TEXT_BYTES);
        Some(addresses.map_while(|address| self.byte_at(thread, address)).take_while(|&byte| byte != 0).collect())
    }
}
