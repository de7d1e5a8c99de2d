//! Runs one block: picks warps that are at the same step and executes it for all of them at once.

use super::addresses::Pattern;
use super::arrivals::Arrivals;
use super::aside::{Aside, NOTHING};
use super::bind::{Bound, BoundStep};
use super::clock::Clock;
use super::copies::Copies;
use super::events::Observer;
use super::memories::Memories;
use super::patience::Patience;
use super::split::Warp;
use super::stop::{Run, Stop, Watch};
use crate::ground::fault::FaultKind;
use crate::ground::lanes::active;
use crate::lower::step::{Action, Guard};
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;
use crate::vector::masked::Lanes;
use crate::vector::registers::{Registers, Rows};
use crate::vector::simd::Simd;

/// Warps that execute together, each with one of its splits.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) members: Vec<(usize, usize)>,
    pub(super) position: u32,
    /// Whether some member ends its path at a known step.
    pub(super) meets: bool,
}

/// The state of a worker that runs one block after the other.
pub(crate) struct BlockMachine<'a, O> {
    pub(super) bound: &'a Bound<'a>,
    pub(super) simd: Simd,
    pub(super) registers: Registers,
    pub(super) warps: Vec<Warp>,
    pub(super) group: Group,
    /// The group's warps and active lanes.
    pub(super) lanes: Lanes,
    /// Those of them that a guard lets through.
    pub(super) guarded: Lanes,
    /// Active lanes and address pattern of each warp of the memory step at hand.
    pub(super) patterns: Vec<(u32, Option<Pattern<'static>>)>,
    /// Operands of each warp's next product of matrices.
    pub(super) aside: Vec<Aside>,
    pub(super) memories: Memories<'a>,
    pub(super) observer: O,
    pub(super) arrivals: Arrivals,
    pub(super) copies: Copies,
    /// How often it has looked at what others may change.
    pub(super) looks_elsewhere: u64,
    /// Its state when nothing could run last time but threads that wait for a phase.
    pub(super) last_stall: Option<u64>,
    pub(super) clock: Clock<'a>,
    pub(super) patience: Patience,
}

impl<'a, O: Observer> BlockMachine<'a, O> {
    pub(crate) fn new(
        bound: &'a Bound<'a>,
        simd: Simd,
        view: MemoryView,
        memory: &'a Memory,
        watch: &'a dyn Watch,
    ) -> Self {
        Self {
            bound,
            simd,
            registers: bound.registers(),
            warps: vec![Warp::default(); bound.warps],
            group: Group::default(),
            lanes: Lanes::default(),
            guarded: Lanes::default(),
            patterns: Vec::new(),
            aside: vec![NOTHING; bound.warps],
            observer: O::new(bound.program.blocks.len(), &view),
            memories: Memories::new(bound, view, memory),
            arrivals: Arrivals::default(),
            copies: Copies::default(),
            looks_elsewhere: 0,
            last_stall: None,
            clock: Clock::new(watch),
            patience: Patience::default(),
        }
    }

    /// The observer, to tell it what to look for.
    pub(crate) fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// What the observer saw.
    pub(crate) fn into_observer(self) -> O {
        self.observer
    }

    /// Executes steps until the group's warps part, wait or end.
    pub(super) fn run_group(&mut self) -> Run<()> {
        let bound = self.bound;
        loop {
            let position = self.group.position;
            let step = &bound.steps[position as usize];
            if O::EVERY_STEP {
                self.show(position, step)?;
            }
            let goes_on = match step.action {
                Action::Enter(block) => self.enter(block)?,
                Action::Arithmetic(_) => {
                    self.arithmetic(position);
                    true
                }
                Action::Memory { operation, offset, visible } => {
                    self.access(step, operation, offset, visible)?;
                    self.group.position += 1;
                    true
                }
                Action::Branch { target, reconverge, visible } => self.branch(step, target, reconverge, visible),
                Action::Exit => self.exit(step),
                Action::Trap => self.trap(step)?,
                Action::AssertionFailed => return Err(self.assertion_failed(step)),
                Action::Fence => self.fence(step),
                Action::Nothing => self.go_on(),
                Action::Clock { high } => self.clock(step, high),
                Action::Barrier(barrier) => self.barrier(step, barrier),
                Action::Exchange(exchange) => self.exchange(step, exchange),
                Action::Asynchronous(operation) => self.asynchronous(step, operation)?,
                Action::SetAside { first } => self.set_aside(step, first),
                Action::SetRowsAside { count } => self.set_rows_aside(step, count)?,
                Action::Mbarrier(operation) => self.mbarrier(step, operation)?,
            };
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Shows the observer a step before it is executed.
    fn show(&mut self, position: u32, step: &BoundStep) -> Run<()> {
        // A branch is executed by all: its guard says where to.
        let guard = step.guard.filter(|_| !matches!(step.action, Action::Branch { .. }));
        for index in 0..self.lanes.warps.len() {
            let (warp, active) = (usize::from(self.lanes.warps[index]), self.active(guard, index));
            if !self.observer.step(position, step, warp, active, &self.registers) {
                return Err(Box::new(Stop::Elsewhere));
            }
        }
        Ok(())
    }

    /// Executes arithmetic steps up to the next step of another kind; one alone for an observer of each.
    fn arithmetic(&mut self, position: u32) {
        let Self { registers, lanes, guarded, bound, simd, .. } = self;
        let mut position = position as usize;
        while let Some(Some(handler)) = bound.handlers.get(position) {
            let step = &bound.steps[position];
            match step.guard {
                None if lanes.full => handler.execute(&step.places, registers, &lanes.warps),
                None => bound.execute_masked(handler, step, *simd, registers, lanes),
                Some(guard) => {
                    restrict(guarded, lanes, registers, guard);
                    bound.execute_masked(handler, step, *simd, registers, guarded);
                }
            }
            position += 1;
            if O::EVERY_STEP {
                break;
            }
        }
        self.group.position = position as u32;
    }

    /// Begins a basic block; false when the group ends here.
    fn enter(&mut self, block: u32) -> Run<bool> {
        let position = self.group.position;
        if self.group.meets && self.meet(position) {
            return Ok(false);
        }
        let warps = self.lanes.warps.len() as u64;
        if O::ON {
            let lanes = self.lanes.masks.iter().map(|mask| u64::from(mask.count_ones())).sum();
            self.observer.enter(block, warps, lanes);
        }
        let entered = &self.bound.program.blocks[block as usize];
        self.group.position += 1;
        if self.clock.enter(warps * u64::from(entered.instructions), entered.polls) {
            return Ok(true);
        }
        self.end_turn(block)?;
        Ok(false)
    }

    /// Ends the splits that reach their meeting point at `position`; true if there are any.
    fn meet(&mut self, position: u32) -> bool {
        let warps = &mut self.warps;
        let mut met = false;
        for &(warp, index) in &self.group.members {
            if warps[warp].splits[index].is_some_and(|split| split.reconverge == position) {
                warps[warp].finish(index);
                met = true;
            }
        }
        if met {
            // The others are chosen again, together with the parents that woke up.
            self.leave_at(position);
        }
        met
    }

    /// The lanes of member `index` that the guard lets through.
    #[inline(always)]
    pub(super) fn active(&self, guard: Option<Guard<Rows>>, index: usize) -> u32 {
        let mask = self.lanes.masks[index];
        match guard {
            None => mask,
            Some(guard) => mask & guard.lanes(&self.registers, usize::from(self.lanes.warps[index])),
        }
    }

    fn branch(&mut self, step: &BoundStep, target: u32, reconverge: u32, visible: bool) -> bool {
        let count = self.lanes.warps.len();
        // A branch to the next step parts nobody.
        if step.guard.is_none() || target == self.group.position + 1 {
            if visible {
                self.observer.branches(count as u64, 0);
            }
            self.group.position = target;
            return true;
        }
        let (mut all, mut none, mut divergent) = (true, true, 0);
        for index in 0..count {
            let (taken, mask) = (self.active(step.guard, index), self.lanes.masks[index]);
            all &= taken == mask;
            none &= taken == 0;
            divergent += u64::from(taken != mask && taken != 0);
        }
        if visible {
            self.observer.branches(count as u64, divergent);
        }
        let next = self.group.position + 1;
        if all || none {
            self.group.position = if all { target } else { next };
            return true;
        }
        for index in 0..count {
            let (taken, mask) = (self.active(step.guard, index), self.lanes.masks[index]);
            let (warp, split) = self.group.members[index];
            let warp = &mut self.warps[warp];
            if taken != 0 && taken != mask {
                warp.part(split, taken, target, next, reconverge);
            } else if let Some(split) = &mut warp.splits[split] {
                split.position = if taken == 0 { next } else { target };
            }
        }
        false
    }

    fn trap(&mut self, step: &BoundStep) -> Run<bool> {
        let trapped = (0..self.lanes.warps.len()).find(|&index| self.active(step.guard, index) != 0);
        let Some(index) = trapped else { return Ok(self.go_on()) };
        let mask = self.active(step.guard, index);
        Err(self.fault(FaultKind::Trap, index, mask, "the kernel executed `trap`".to_owned()))
    }

    fn fence(&mut self, step: &BoundStep) -> bool {
        for index in 0..self.lanes.warps.len() {
            if O::EVERY_ACCESS && self.active(step.guard, index) != 0 {
                self.observer.fenced(usize::from(self.lanes.warps[index]));
            }
        }
        self.go_on()
    }

    /// Reads the clock of the block, or its high half.
    fn clock(&mut self, step: &BoundStep, high: bool) -> bool {
        self.patience.notice(true);
        self.looks_elsewhere += 1;
        let now = self.clock.read() >> if high { 32 } else { 0 };
        for (&warp, &mask) in self.lanes.warps.iter().zip(&self.lanes.masks) {
            active(mask).for_each(|lane| self.registers.set_value(step.operand(0), usize::from(warp), lane, now));
        }
        self.go_on()
    }

    pub(super) fn go_on(&mut self) -> bool {
        self.group.position += 1;
        true
    }

    fn exit(&mut self, step: &BoundStep) -> bool {
        let next = self.group.position + 1;
        let count = self.lanes.warps.len();
        if (0..count).all(|index| self.active(step.guard, index) == 0) {
            return self.go_on();
        }
        self.leave_at(next);
        for index in 0..count {
            let (leaving, (warp, split)) = (self.active(step.guard, index), self.group.members[index]);
            if leaving != 0 {
                self.warps[warp].exit(split, leaving);
            }
        }
        false
    }

    /// A fault at the current step, in the lowest of `lanes` of a member of the group.
    pub(super) fn fault(&self, kind: FaultKind, index: usize, lanes: u32, detail: String) -> Box<Stop> {
        let warp = usize::from(self.lanes.warps[index]);
        Box::new(Stop::Fault {
            kind,
            position: self.group.position,
            warp,
            lane: lanes.trailing_zeros() as usize,
            detail,
        })
    }
}

/// Sets `guarded` to the lanes that the guard lets through.
#[inline(always)]
fn restrict(guarded: &mut Lanes, lanes: &Lanes, registers: &Registers, guard: Guard<Rows>) {
    guarded.clear();
    guarded.full = false;
    for (&warp, &mask) in lanes.warps.iter().zip(&lanes.masks) {
        let warp = usize::from(warp);
        guarded.push(warp, mask & guard.lanes(registers, warp));
    }
}
