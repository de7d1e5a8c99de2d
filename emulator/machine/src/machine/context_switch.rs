//! Starting, running, suspending and resuming blocks on a worker.

use super::block::BlockMachine;
use super::clock::ClockState;
use super::events::Observer;
use super::memories::{Arrivals, AtCluster, MatrixOperands};
use super::schedule::Choice;
use super::spin_detection::SpinHistory;
use super::split::Warp;
use super::stop::{Leave, Run};
use super::suspended::{Cluster, SuspendedBlock};
use crate::ground::lanes::{FULL, WARP_SIZE};
use crate::vector::registers::{OperandKind, Row};

impl<O: Observer> BlockMachine<'_, O> {
    /// Starts block `number` of the grid.
    pub(crate) fn start(&mut self, number: u64) {
        self.block = number;
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
        self.at_cluster.clear();
        self.at_cluster.resize(self.bound.warps, AtCluster::default());
        self.last_timeout = None;
        self.spin.begin(SpinHistory::default());
        self.clock.restore(ClockState::default());
        self.clock.set_slice_length(self.spin.slice_length());
        let threads = self.bound.launch.block.volume() as usize;
        for (number, warp) in self.warps.iter_mut().enumerate() {
            let count = (threads - number * WARP_SIZE).min(WARP_SIZE);
            warp.start(FULL >> (WARP_SIZE - count));
        }
        self.clear_undefined();
        self.observer.begin(number, self.bound.warps);
    }

    fn clear_undefined(&mut self) {
        for &(kind, slot) in &self.bound.program.undefined {
            let rows = self.bound.rows(slot, kind);
            for warp in 0..self.bound.warps {
                match kind {
                    OperandKind::Narrow => self.registers.narrow[rows.row(warp)] = Row([0; WARP_SIZE]),
                    OperandKind::Wide => self.registers.wide[rows.row(warp)] = Row([0; WARP_SIZE]),
                    OperandKind::Predicate => self.registers.predicates[rows.row(warp)] = 0,
                }
            }
        }
    }

    /// Runs the current block until it ends or yields.
    pub(super) fn run_block(&mut self) -> Run<Leave> {
        let leave = self.run_rounds();
        if !matches!(leave, Ok(Leave::Yields | Leave::Spins { .. } | Leave::Waits)) {
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
                Choice::WaitsForCluster => {
                    self.report_progress()?;
                    return Ok(Leave::Waits);
                }
                Choice::Ended => {
                    self.report_progress()?;
                    return Ok(Leave::Ended);
                }
            }
        }
    }

    /// Suspends the current block.
    pub(super) fn suspend_block(&mut self) -> SuspendedBlock {
        self.observer.suspend(self.block);
        SuspendedBlock {
            block: self.block,
            cluster: Cluster::default(),
            last_timeout: None,
            at_cluster: std::mem::take(&mut self.at_cluster),
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

    /// Resumes a suspended block.
    pub(super) fn resume_block(&mut self, suspended: SuspendedBlock) {
        let SuspendedBlock { block, warps, registers, shared, local, arrivals, copies, at_cluster, .. } = suspended;
        let SuspendedBlock { operands, sums, clock, history, .. } = suspended;
        (self.block, self.at_cluster) = (block, at_cluster);
        (self.warps, self.registers, self.arrivals) = (warps, registers, arrivals);
        (self.memories.shared, self.memories.local) = (shared, local);
        (self.copies, self.matrix_operands, self.last_timeout) = (copies, operands, None);
        self.sums = sums;
        self.spin.begin(history);
        self.clock.restore(clock);
        self.clock.set_slice_length(self.spin.slice_length());
        self.observer.resume(block);
    }
}
