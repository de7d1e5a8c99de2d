//! Starting, running, suspending and resuming blocks on a worker.

use super::arrivals::Arrivals;
use super::block::BlockMachine;
use super::clock::ClockState;
use super::events::Observer;
use super::matrix_operands::{MatrixOperands, Sums};
use super::pending_copies::PendingCopies;
use super::schedule::Choice;
use super::spin_detection::SpinHistory;
use super::split::Warp;
use super::stop::{Leave, Run};
use crate::ground::lanes::{FULL, LANES};
use crate::vector::registers::{OperandKind, Registers, Row};

/// A suspended block, with the whole state of its threads.
#[derive(Debug)]
pub(crate) struct SuspendedBlock {
    /// The number of the block in the grid.
    pub(crate) block: u64,
    pub(super) warps: Vec<Warp>,
    registers: Registers,
    shared: Vec<u32>,
    local: Vec<u32>,
    arrivals: Arrivals,
    copies: PendingCopies,
    operands: Vec<MatrixOperands>,
    sums: Vec<Sums>,
    clock: ClockState,
    pub(crate) history: SpinHistory,
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Starts block `number` of the grid.
    pub(crate) fn start(&mut self, number: u64) {
        if self.registers.narrow.is_empty() {
            // The previous block was suspended and took its registers and memory along.
            self.registers = self.bound.registers();
            self.warps = vec![Warp::default(); self.bound.warps];
            self.matrix_operands = vec![MatrixOperands::new(); self.bound.warps];
            self.memories.make(self.bound);
        }
        self.bound.set_block(&mut self.registers, self.bound.launch.grid.at(number));
        self.memories.reset();
        self.arrivals = Arrivals::default();
        self.copies.reset(self.bound.warps);
        self.last_timeout = None;
        self.spin.begin(SpinHistory::default());
        self.clock.restore(ClockState::default());
        self.clock.set_slice_length(self.spin.slice_length());
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

    /// Runs the current block until it ends or yields.
    pub(crate) fn run(&mut self) -> Run<Leave> {
        let leave = self.run_rounds();
        if !matches!(leave, Ok(Leave::Yields | Leave::Spins { .. })) {
            self.observer.end(&self.registers);
        }
        leave
    }

    fn run_rounds(&mut self) -> Run<Leave> {
        loop {
            match self.choose_group()? {
                Choice::Group => self.run_group()?,
                Choice::NextRound { polls } => {
                    if let Some(leave) = self.end_round(polls)? {
                        return Ok(leave);
                    }
                }
                Choice::Ended => {
                    self.report_progress()?;
                    return Ok(Leave::Ended);
                }
            }
        }
    }

    /// Suspends the current block, whose number in the grid is `block`.
    pub(crate) fn suspend(&mut self, block: u64) -> SuspendedBlock {
        self.observer.suspend(block);
        SuspendedBlock {
            block,
            warps: std::mem::take(&mut self.warps),
            registers: std::mem::take(&mut self.registers),
            shared: std::mem::take(&mut self.memories.shared),
            local: std::mem::take(&mut self.memories.local),
            arrivals: std::mem::take(&mut self.arrivals),
            copies: std::mem::take(&mut self.copies),
            operands: std::mem::take(&mut self.matrix_operands),
            sums: std::mem::take(&mut self.sums),
            clock: self.clock.state(),
            history: self.spin.history,
        }
    }

    /// Resumes a suspended block and returns its number in the grid.
    pub(crate) fn resume(&mut self, suspended: SuspendedBlock) -> u64 {
        let SuspendedBlock { block, warps, registers, shared, local, arrivals, copies, operands, sums, clock, history } =
            suspended;
        (self.warps, self.registers, self.arrivals) = (warps, registers, arrivals);
        (self.memories.shared, self.memories.local) = (shared, local);
        (self.copies, self.matrix_operands, self.last_timeout) = (copies, operands, None);
        self.sums = sums;
        self.spin.begin(history);
        self.clock.restore(clock);
        self.clock.set_slice_length(self.spin.slice_length());
        self.observer.resume(block);
        block
    }
}
