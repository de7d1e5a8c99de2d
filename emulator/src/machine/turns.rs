//! A block on its worker: it begins, goes on for a while, is put aside for others, and ends.

use super::arrivals::Arrivals;
use super::aside::{Aside, NOTHING};
use super::block::BlockMachine;
use super::clock::Count;
use super::copies::Copies;
use super::events::Observer;
use super::patience::Left;
use super::schedule::Choice;
use super::split::Warp;
use super::stop::{Leave, Run};
use crate::ground::lanes::{FULL, LANES};
use crate::vector::registers::{OperandKind, Registers, Row};

/// A block that is put aside, with all that its threads go on from.
#[derive(Debug)]
pub(crate) struct Resting {
    /// Number in the grid.
    pub(crate) block: u64,
    pub(super) warps: Vec<Warp>,
    registers: Registers,
    shared: Vec<u32>,
    local: Vec<u32>,
    arrivals: Arrivals,
    copies: Copies,
    operands: Vec<Aside>,
    count: Count,
    pub(crate) left: Left,
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Begins the block of that number in the grid.
    pub(crate) fn start(&mut self, number: u64) {
        if self.registers.narrow.is_empty() {
            // Those of the block before are put aside with it.
            self.registers = self.bound.registers();
            self.warps = vec![Warp::default(); self.bound.warps];
            self.aside = vec![NOTHING; self.bound.warps];
            self.memories.make(self.bound);
        }
        self.bound.set_block(&mut self.registers, self.bound.launch.grid.at(number));
        self.memories.reset();
        self.arrivals = Arrivals::default();
        self.copies.reset(self.bound.warps);
        self.last_stall = None;
        self.patience.begin(Left::default());
        self.clock.set_count(Count::default());
        self.clock.set_pace(self.patience.pace());
        let threads = self.bound.launch.block.volume() as usize;
        for (number, warp) in self.warps.iter_mut().enumerate() {
            let count = (threads - number * LANES).min(LANES);
            warp.start(FULL >> (LANES - count));
        }
        self.clear_undefined();
        self.observer.begin(number, self.bound.warps);
    }

    fn clear_undefined(&mut self) {
        for &(kind, slot) in &self.bound.program.undefined {
            let rows = self.bound.rows(slot, kind);
            for warp in 0..self.bound.warps {
                match kind {
                    OperandKind::Narrow => self.registers.narrow[rows.of(warp)] = Row([0; LANES]),
                    OperandKind::Wide => self.registers.wide[rows.of(warp)] = Row([0; LANES]),
                    OperandKind::Predicate => self.registers.predicates[rows.of(warp)] = 0,
                }
            }
        }
    }

    /// Runs the block at hand until it ends, or lets others go first.
    pub(crate) fn run(&mut self) -> Run<Leave> {
        let leave = self.rounds();
        if !matches!(leave, Ok(Leave::Yields | Leave::Repeats { .. })) {
            self.observer.end(&self.registers);
        }
        leave
    }

    fn rounds(&mut self) -> Run<Leave> {
        loop {
            match self.choose_group()? {
                Choice::Group => self.run_group()?,
                Choice::NextRound { polls } => {
                    if let Some(leave) = self.end_round(polls)? {
                        return Ok(leave);
                    }
                }
                Choice::Ended => {
                    self.pass()?;
                    return Ok(Leave::Ended);
                }
            }
        }
    }

    /// Takes the block at hand off this worker.
    pub(crate) fn put_aside(&mut self, block: u64) -> Resting {
        self.observer.put_aside(block);
        Resting {
            block,
            warps: std::mem::take(&mut self.warps),
            registers: std::mem::take(&mut self.registers),
            shared: std::mem::take(&mut self.memories.shared),
            local: std::mem::take(&mut self.memories.local),
            arrivals: std::mem::take(&mut self.arrivals),
            copies: std::mem::take(&mut self.copies),
            operands: std::mem::take(&mut self.aside),
            count: self.clock.count(),
            left: self.patience.left,
        }
    }

    /// Goes on with a block that was put aside, and returns its number.
    pub(crate) fn take_up(&mut self, resting: Resting) -> u64 {
        let Resting { block, warps, registers, shared, local, arrivals, copies, operands, count, left } = resting;
        (self.warps, self.registers, self.arrivals) = (warps, registers, arrivals);
        (self.memories.shared, self.memories.local) = (shared, local);
        (self.copies, self.aside, self.last_stall) = (copies, operands, None);
        self.patience.begin(left);
        self.clock.set_count(count);
        self.clock.set_pace(self.patience.pace());
        self.observer.take_up(block);
        block
    }
}
