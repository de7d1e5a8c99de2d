//! A resident warp: its place in its stream, and the cycles in which its registers are ready.

use super::groups::Groups;
use super::stalls::{Completion, Reason};
use crate::code::operation::{Operation, Unit};
use crate::code::predicate::Heads;
use emulator::{AccessedSpace, StreamedAccess, StreamedEvent, StreamedPhase};

/// The code of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    /// The operations of each basic block.
    pub(super) blocks: &'a [Vec<Operation>],
    /// The basic blocks that are one with an earlier one.
    pub(super) heads: &'a Heads,
}

/// A resident warp.
pub(super) struct Warp<'a> {
    /// The resident block to which it belongs.
    pub(super) block: usize,
    events: &'a [StreamedEvent],
    /// The index of the next event.
    next_event: usize,
    /// The accesses in the current basic block.
    accesses: std::ops::Range<usize>,
    /// The current basic block, and the index of its next operation.
    pub(super) basic_block: usize,
    pub(super) next_operation: usize,
    /// The last basic block that is one with it.
    last_block: usize,
    /// The cycle in which each register can be used, and the reason to wait for it.
    ready: Vec<(u64, Reason)>,
    /// Its copies, and its products with its warpgroup.
    copies: Groups,
    products: Groups,
    /// The cycle after the last issue.
    pub(super) idle_since: u64,
    /// The first cycle in which it may issue, as far as the warp itself decides, and the reason.
    pub(super) earliest: (u64, Reason),
    pub(super) waits_at_barrier: bool,
}

/// The state of a warp after it has looked for its next operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fetched {
    /// It has an operation.
    Operation,
    /// Its stream ends.
    End,
}

impl<'a> Warp<'a> {
    /// Returns a warp that starts in a cycle.
    pub(super) fn new(block: usize, events: &'a [StreamedEvent], registers: usize, now: u64) -> Self {
        Self {
            block,
            events,
            next_event: 0,
            accesses: 0..0,
            basic_block: usize::MAX,
            next_operation: 0,
            last_block: 0,
            ready: vec![(0, Reason::Dependency); registers],
            copies: Groups::default(),
            products: Groups::default(),
            idle_since: now,
            earliest: (now, Reason::Dependency),
            waits_at_barrier: false,
        }
    }

    /// Returns the operation to issue, after [`Warp::fetch`].
    pub(super) fn operation<'c>(&self, code: Code<'c>) -> &'c Operation {
        &code.blocks[self.basic_block][self.next_operation]
    }

    /// Finds the next operation that is issued, and the cycle in which its sources are ready. The warp may not issue before
    /// `from`.
    pub(super) fn fetch(&mut self, code: Code<'_>, from: u64) -> Fetched {
        loop {
            let block = code.blocks.get(self.basic_block).map_or(&[][..], Vec::as_slice);
            match block.get(self.next_operation) {
                Some(operation) if operation.is_issued() => {
                    self.earliest = self.sources(operation, from);
                    return Fetched::Operation;
                }
                Some(operation) => {
                    let ready = self.sources(operation, 0);
                    operation.writes.iter().for_each(|&register| self.ready[register as usize] = ready);
                    self.next_operation += 1;
                }
                None if !self.enter_next(code.heads) => return Fetched::End,
                None => {}
            }
        }
    }

    /// Returns the cycle in which an operation can start, at least `from`, and the reason if it is a later one.
    fn sources(&self, operation: &Operation, from: u64) -> (u64, Reason) {
        let registers = operation.reads.iter().map(|&register| self.ready[register as usize]);
        let latest =
            registers.fold((from, Reason::Dependency), |latest, next| if next.0 > latest.0 { next } else { latest });
        let (complete, reason) = match operation.unit {
            Unit::WaitForCopies => (self.copies.complete(operation.leaves), Reason::Memory),
            Unit::WaitForProducts => (self.products.complete(operation.leaves), Reason::Issue),
            _ => return latest,
        };
        if complete > latest.0 { (complete, reason) } else { latest }
    }

    /// Enters the next basic block of the stream, with those that are one with it. Returns false at its end.
    fn enter_next(&mut self, heads: &Heads) -> bool {
        let Some(&StreamedEvent::Enter { block, .. }) = self.events.get(self.next_event) else { return false };
        let (first, head) = (self.next_event + 1, block as usize);
        let mut last = head;
        let belongs = |event: &&StreamedEvent| match event {
            StreamedEvent::Access(_) | StreamedEvent::Phase(_) => true,
            StreamedEvent::Enter { block, .. } => {
                let is_later = *block as usize > last && heads[*block as usize] == head;
                last = if is_later { *block as usize } else { last };
                is_later
            }
        };
        let count = self.events[first..].iter().take_while(belongs).count();
        self.accesses = first..first + count;
        self.next_event = first + count;
        (self.basic_block, self.next_operation, self.last_block) = (heads[head], 0, last);
        true
    }

    /// Returns whether the branch at the end of the current basic block is taken.
    pub(super) fn branches_away(&self) -> bool {
        match self.events.get(self.next_event) {
            Some(&StreamedEvent::Enter { block, .. }) => block as usize != self.last_block + 1,
            _ => false,
        }
    }

    /// Returns the access of an operation. There is none if a guard is false in all lanes.
    pub(super) fn access(&self, operation: &Operation) -> Option<&'a StreamedAccess> {
        let is_copy = operation.unit == Unit::Copy;
        self.events[self.accesses.clone()].iter().find_map(|event| match event {
            StreamedEvent::Access(access)
                if operation.instructions.contains(&access.instruction)
                    && (!is_copy || access.space == AccessedSpace::Global) =>
            {
                Some(access)
            }
            _ => None,
        })
    }

    /// Returns the accesses to global memory of an operation that copies tiles.
    pub(super) fn rows(&self, operation: &Operation) -> impl Iterator<Item = &'a StreamedAccess> {
        let all = self.events[self.accesses.clone()].iter().filter_map(StreamedEvent::access);
        all.filter(|access| {
            operation.instructions.contains(&access.instruction) && access.space == AccessedSpace::Global
        })
    }

    /// Returns what an operation does at barriers with phases.
    pub(super) fn phases(&self, operation: &Operation) -> Vec<StreamedPhase> {
        let all = self.events[self.accesses.clone()].iter().filter_map(StreamedEvent::phase);
        all.filter(|phase| operation.instructions.contains(&phase.instruction)).copied().collect()
    }

    /// Notes when a register is ready: after all operations that write it, of which a scoreboard has several.
    fn write(&mut self, register: u32, at: u64, reason: Reason) {
        let ready = &mut self.ready[register as usize];
        *ready = if at >= ready.0 { (at, reason) } else { *ready };
    }

    /// Notes when the results of the operation can be used, and goes on to the next one.
    pub(super) fn complete(&mut self, operation: &Operation, completion: Completion) {
        for &register in &operation.writes {
            self.write(register, completion.at, completion.reason);
        }
        operation.releases.iter().for_each(|&register| self.write(register, completion.released, completion.reason));
        match operation.unit {
            Unit::Copy => self.copies.add(completion.at),
            Unit::CommitCopies => self.copies.commit(),
            Unit::Warpgroup => self.products.add(completion.at),
            Unit::CommitProducts => self.products.commit(),
            _ => {}
        }
        self.next_operation += 1;
    }
}
