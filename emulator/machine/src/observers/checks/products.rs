//! Pending products of warpgroups: until a warp has waited for a product, it may not use the registers of D, and no thread may
//! write what the product reads from shared memory.

use super::pending_copies::PendingStores;
use super::touch::Touch;
use crate::ground::lanes::active;
use crate::isa::asynchronous::Asynchronous;
use crate::isa::logic::Move;
use crate::isa::operation::Arithmetic;
use crate::isa::warpgroup::{WARPS, Warpgroup};
use crate::lower::step::Action;
use crate::machine::bind::BoundStep;
use crate::vector::registers::{OperandKind, Registers};
use std::collections::{BTreeMap, HashMap};

/// The number of bytes that are read together.
const CHUNK: u64 = 16;

/// A product that a warp has not waited for.
#[derive(Clone, Copy, Debug)]
struct Pending {
    warp: usize,
    /// The number of groups that the warp had closed before.
    group: u64,
    touch: Touch,
}

/// The pending products of a block.
#[derive(Debug, Default)]
pub(super) struct Products {
    /// The number of groups that each warp has closed.
    closed: Vec<u64>,
    /// The product that writes a register, by row.
    registers: HashMap<usize, Pending>,
    /// The last product that reads a chunk, by number of the chunk and of the warpgroup.
    chunks: BTreeMap<(u64, usize), Pending>,
    /// The other asynchronous operations that read shared memory.
    pub(super) stores: PendingStores,
}

impl Products {
    /// Resets the products for a new block.
    pub(super) fn begin(&mut self, warps: usize) {
        self.closed.clear();
        self.closed.resize(warps, 0);
        self.registers.clear();
        self.chunks.clear();
        self.stores.clear();
    }

    /// Records that a product of the warpgroup of `warp` reads the chunk at `address`.
    pub(super) fn read(&mut self, address: u64, warp: usize, touch: Touch) {
        let pending = Pending { warp, group: self.closed[warp], touch };
        self.chunks.insert((address / CHUNK, warp / WARPS), pending);
    }

    /// Returns whether no product or copy reads shared memory.
    pub(super) fn read_nothing(&self) -> bool {
        self.chunks.is_empty() && self.stores.is_empty()
    }

    /// Returns the pending product that reads the byte at `address`.
    #[inline(always)]
    pub(super) fn at(&self, address: u64) -> Option<Touch> {
        if self.chunks.is_empty() {
            return None;
        }
        let chunk = address / CHUNK;
        self.chunks.range((chunk, 0)..=(chunk, usize::MAX)).next().map(|(_, pending)| pending.touch)
    }

    /// Follows a step of the lanes of a warp. Returns the product whose result it uses too early, if there is one. `touch` returns
    /// the access of the step.
    pub(super) fn step(
        &mut self,
        step: &BoundStep,
        (warp, lanes): (usize, u32),
        registers: &Registers,
        touch: impl Fn() -> Touch,
    ) -> Option<Touch> {
        match step.action {
            Action::Warpgroup(Warpgroup::Commit) => self.closed[warp] += 1,
            Action::Warpgroup(Warpgroup::Wait) => self.complete(warp, registers.value(step.operand(0), warp, 0)),
            Action::Asynchronous(operation @ (Asynchronous::CommitStores | Asynchronous::WaitForStores)) => {
                let waits = operation == Asynchronous::WaitForStores;
                // The number is a constant, so lane 0 holds it, too.
                let groups = if waits { registers.value(step.operand(0), warp, 0) } else { 0 };
                active(lanes).for_each(|lane| self.stores.step(operation, (warp, lane), groups));
            }
            Action::TakeSums { .. } => {
                let pending = Pending { warp, group: self.closed[warp], touch: touch() };
                for index in 0..usize::from(step.results) {
                    self.registers.insert(step.places[index].row(warp), pending);
                }
            }
            // Products may follow each other in the same registers.
            Action::SetSumsAside { .. } => {}
            _ if self.registers.is_empty() => {}
            Action::Arithmetic(Arithmetic::Move(Move::Narrow)) => {
                let [to, from] = [0, 1].map(|operand| step.places[operand].row(warp));
                match self.registers.get(&from) {
                    Some(&pending) => self.registers.insert(to, pending),
                    None => self.registers.remove(&to),
                };
            }
            _ => return self.use_product(step, warp),
        }
        None
    }

    /// Returns the product whose result a step uses. Its results are those of another instruction from now on.
    fn use_product(&mut self, step: &BoundStep, warp: usize) -> Option<Touch> {
        let mut used = None;
        let narrow = |&index: &usize| step.kinds[index] == Some(OperandKind::Narrow);
        // The sources come first: a step may write what it reads.
        for index in (0..step.kinds.len()).rev().filter(narrow) {
            let row = step.places[index].row(warp);
            if index < usize::from(step.results) {
                self.registers.remove(&row);
            } else if let Some(pending) = self.registers.get(&row) {
                used = Some(pending.touch);
            }
        }
        used
    }

    /// Completes the products of a warp, except those of the open group and of the last `groups` closed ones. What they read from
    /// shared memory is free when the first warp of the warpgroup has waited.
    fn complete(&mut self, warp: usize, groups: u64) {
        let closed = self.closed[warp];
        let completes = |pending: &Pending| closed - pending.group.min(closed) > groups;
        self.registers.retain(|_, pending| pending.warp != warp || !completes(pending));
        self.chunks.retain(|_, pending| pending.warp / WARPS != warp / WARPS || !completes(pending));
    }
}
