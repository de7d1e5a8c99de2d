//! The main loop of a block, which executes each step for all warps that are at that step.

use super::addresses::Pattern;
use super::bind::{Bound, BoundStep};
use super::clock::Clock;
use super::events::Observer;
use super::memories::{Arrivals, AtCluster, MatrixOperands, Memories, Sums};
use super::pending_copies::PendingCopies;
use super::spin_detection::SpinDetector;
use super::split::Warp;
use super::stop::{Run, Stop, Watch};
use super::suspended::Cluster;
use crate::ground::fault::FaultKind;
use crate::ground::lanes::active;
use crate::lower::step::{Action, Guard};
use crate::memory::device::Memory;
use crate::memory::view::MemoryView;
use crate::vector::lanes::Lanes;
use crate::vector::registers::{Registers, Rows};
use crate::vector::simd::Simd;
use std::sync::atomic;

/// Warps that execute together, each with one of its splits.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) members: Vec<(usize, usize)>,
    pub(super) position: u32,
    /// The first later step at which other splits can run. The group joins them when it gets there: they run the steps behind
    /// it together.
    pub(super) joins_at: u32,
    /// The earliest and the latest reconvergence point of the members.
    pub(super) reconverge: [u32; 2],
    /// Whether no other split of these warps can run at this step.
    pub(super) is_complete: bool,
}

/// The state of a worker, which runs one block after the other.
pub(crate) struct BlockMachine<'a, O> {
    pub(super) bound: &'a Bound<'a>,
    pub(super) simd: Simd,
    pub(super) registers: Registers,
    pub(super) warps: Vec<Warp>,
    pub(super) group: Group,
    /// The group's warps and active lanes.
    pub(super) lanes: Lanes,
    /// The group's warps, and the active lanes for which a guard is true.
    pub(super) guarded: Lanes,
    /// The active lanes and the address pattern of each warp, for the current memory step.
    pub(super) patterns: Vec<(u32, Option<Pattern<'static>>)>,
    /// For each step, whether its loads have been from one address so far: the path for these is tried first.
    pub(super) loads_uniform: Vec<bool>,
    /// The operands of each warp's next matrix instruction.
    pub(super) matrix_operands: Vec<MatrixOperands>,
    /// The registers of D of each warp's next product of its warpgroup; empty before the first.
    pub(super) sums: Vec<Sums>,
    pub(super) memories: Memories<'a>,
    pub(super) observer: O,
    pub(super) arrivals: Arrivals,
    pub(super) copies: PendingCopies,
    /// The lanes of each warp at the barrier of the cluster.
    pub(super) at_cluster: Vec<AtCluster>,
    pub(super) cluster: Cluster,
    /// The number of the block in the grid.
    pub(super) block: u64,
    /// The number of accesses to state that other blocks may change: global memory and the clock.
    pub(super) external_accesses: u64,
    /// The fingerprint of the block at the last timeout of mbarrier waits.
    pub(super) last_timeout: Option<u64>,
    pub(super) clock: Clock<'a>,
    pub(super) spin: SpinDetector,
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
            loads_uniform: vec![true; bound.steps.len()],
            matrix_operands: vec![MatrixOperands::new(); bound.warps],
            sums: Vec::new(),
            observer: O::new(bound.program, &view),
            memories: Memories::new(bound, view, memory),
            arrivals: Arrivals::default(),
            copies: PendingCopies::default(),
            at_cluster: Vec::new(),
            cluster: Cluster::default(),
            block: 0,
            external_accesses: 0,
            last_timeout: None,
            clock: Clock::new(watch),
            spin: SpinDetector::default(),
        }
    }

    /// Returns the observer.
    pub(crate) fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Returns the observer, with what it has recorded.
    pub(crate) fn into_observer(self) -> O {
        self.observer
    }

    /// Executes steps until the group diverges, waits or ends.
    pub(super) fn run_group(&mut self) -> Run<()> {
        let bound = self.bound;
        loop {
            let position = self.group.position;
            let step = &bound.steps[position as usize];
            if self.shows_steps() {
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
                Action::CountBranch => self.count_branch(step),
                Action::Exit => self.exit(step),
                Action::EnterFrame { caller } => self.enter_frame(step, caller),
                Action::Call { function } => self.call(function)?,
                Action::CallPointer { argument_bytes } => self.call_pointer(step, argument_bytes)?,
                Action::Return => self.leave_call(step),
                Action::LeaveFrame { caller } => self.leave_frame(step, caller),
                Action::Trap => self.trap(step)?,
                Action::AssertionFailed => return Err(self.assertion_failed(step)),
                Action::Print => self.print(step)?,
                Action::Allocate => self.allocate(step),
                Action::Free => self.free(step)?,
                Action::Fence(scope) => self.fence(step, |observer, warp| observer.fenced(warp, scope)),
                Action::ProxyFence => self.fence(step, O::proxy_fenced),
                Action::SetRegisters { count } => self.set_registers(count),
                Action::Nothing => self.advance(),
                Action::Clock { high } => self.clock(step, high),
                Action::Barrier(barrier) => self.barrier(step, barrier),
                Action::ClusterBarrier(barrier) => self.cluster_barrier(barrier)?,
                Action::Exchange(exchange) => self.exchange(step, exchange),
                Action::Asynchronous(operation) => self.asynchronous(step, operation)?,
                Action::Texture(operation) => self.texture(step, operation)?,
                Action::SetAside { first } => self.collect_operands(step, first),
                Action::SetRowsAside { count } => self.collect_rows(step, count)?,
                Action::StoreRows { count } => self.store_rows(step, count)?,
                Action::Warpgroup(operation) => self.warpgroup(step, operation)?,
                Action::SetSumsAside { first } => self.collect_sums(step, first),
                Action::TakeSums { first } => self.take_sums(step, first),
                Action::Mbarrier(operation) => self.mbarrier(step, operation)?,
            };
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Returns whether the observer needs each step.
    #[inline(always)]
    fn shows_steps(&self) -> bool {
        O::EVERY_STEP || O::PRODUCTS && self.bound.has_products
    }

    /// Passes a step to the observer before it is executed.
    fn show(&mut self, position: u32, step: &BoundStep) -> Run<()> {
        // All lanes execute a branch; its guard selects the target.
        let guard = step.guard.filter(|_| !matches!(step.action, Action::Branch { .. }));
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let active = self.active(guard, index);
            if !self.observer.step(position, step, warp, active, &self.registers) {
                return Err(Box::new(Stop::Canceled));
            }
        }
        Ok(())
    }

    /// Executes arithmetic steps up to the next step of another kind, or a single one for an observer of every step.
    #[cfg_attr(target_family = "wasm", inline(never))]
    fn arithmetic(&mut self, position: u32) {
        let every_step = self.shows_steps();
        let Self { registers, lanes, guarded, bound, simd, .. } = self;
        let mut position = position as usize;
        loop {
            if !every_step {
                position = bound.not_invariant[position] as usize;
            }
            let Some(handler) = &bound.handlers[position] else { break };
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
            if every_step {
                break;
            }
        }
        self.group.position = position as u32;
    }

    /// Enters a basic block and returns false if the group ends here.
    fn enter(&mut self, block: u32) -> Run<bool> {
        let position = self.group.position;
        let [earliest, latest] = self.group.reconverge;
        if (earliest..=latest).contains(&position)
            && let Some(goes_on) = self.reconverge_at(position)
        {
            return Ok(goes_on);
        }
        if position == self.group.joins_at {
            self.leave_at(position);
            return Ok(false);
        }
        let warps = self.lanes.warps.len() as u64;
        if O::ON {
            self.observer.enter(block, warps, self.lanes.active.into());
        }
        if O::EVERY_ENTRY {
            for (&warp, &active) in self.lanes.warps.iter().zip(&self.lanes.masks) {
                self.observer.enter_warp(block, usize::from(warp), active);
            }
        }
        let entered = &self.bound.program.blocks[block as usize];
        self.group.position += 1;
        if self.clock.enter(warps * u64::from(entered.instructions), entered.polls) {
            return Ok(true);
        }
        self.end_time_slice(block)?;
        Ok(false)
    }

    /// Ends the splits whose reconvergence point is `position`. Returns `None` if there are none, and otherwise whether the group
    /// goes on at `position` with the parents that they wake.
    fn reconverge_at(&mut self, position: u32) -> Option<bool> {
        let Self { group, warps, .. } = self;
        // No other split can run here or earlier, so the scheduler would choose the same members.
        let mut goes_on = group.is_complete && position < group.joins_at;
        let mut any = false;
        let mut kept = 0;
        for index in 0..group.members.len() {
            let (number, mut member) = group.members[index];
            let warp = &mut warps[number];
            if warp.splits[member].is_some_and(|split| split.reconverge == position) {
                any = true;
                let Some(woken) = warp.finish(member) else { continue };
                if warp.splits[woken].is_none_or(|split| split.position != position) {
                    goes_on = false;
                    continue;
                }
                member = woken;
            }
            group.members[kept] = (number, member);
            kept += 1;
        }
        group.members.truncate(kept);
        goes_on &= kept > 0;
        if any && goes_on {
            self.begin_group(position);
        } else if any {
            // The others are scheduled again, together with the parents that became runnable.
            self.leave_at(position);
        }
        any.then_some(goes_on)
    }

    /// Returns the lanes of member `index` for which the guard is true.
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
        if O::EVERY_ACCESS && target <= self.group.position {
            self.note_round(step, target);
        }
        // A branch to the next step does not diverge.
        if step.guard.is_none() || target == self.group.position + 1 {
            if visible {
                self.observer.branches(count as u64, 0, self.group.position);
            }
            self.group.position = target;
            return true;
        }
        let mut all = true;
        let mut none = true;
        let mut divergent = 0;
        for index in 0..count {
            let taken = self.active(step.guard, index);
            let mask = self.lanes.masks[index];
            all &= taken == mask;
            none &= taken == 0;
            divergent += u64::from(taken != mask && taken != 0);
        }
        if visible {
            self.observer.branches(count as u64, divergent, self.group.position);
        }
        let next = self.group.position + 1;
        if all || none {
            self.group.position = if all { target } else { next };
            return true;
        }
        self.diverge(step, target, reconverge)
    }

    /// Divides the group at a divergent branch, and returns whether it goes on with the lanes that do not take the branch.
    fn diverge(&mut self, step: &BoundStep, target: u32, reconverge: u32) -> bool {
        let next = self.group.position + 1;
        // Lanes that are the earliest, and that no others join, are what the scheduler would choose.
        let goes_on = self.group.is_complete && next < target.min(self.group.joins_at) && next != reconverge;
        let mut kept = 0;
        let mut at_target = false;
        for index in 0..self.group.members.len() {
            let taken = self.active(step.guard, index);
            let mask = self.lanes.masks[index];
            let (number, split) = self.group.members[index];
            let warp = &mut self.warps[number];
            let mut stays = (taken == 0).then_some(split);
            if taken != 0 && taken != mask {
                self.observer.part(number, taken, mask & !taken);
                at_target |= target != reconverge;
                stays = warp.diverge(split, taken, target, next, reconverge);
            } else if let Some(split) = &mut warp.splits[split] {
                at_target |= taken != 0;
                split.position = if taken == 0 { next } else { target };
            }
            if let Some(split) = stays {
                self.group.members[kept] = (number, split);
                kept += 1;
            }
        }
        if goes_on {
            self.group.members.truncate(kept);
            self.begin_group(next);
            if at_target {
                self.group.joins_at = self.group.joins_at.min(target);
            }
        }
        goes_on
    }

    /// Counts a branch whose target a register selects.
    fn count_branch(&mut self, step: &BoundStep) -> bool {
        let mut divergent = 0;
        for (warp, mask) in self.lanes.each() {
            let target = |lane| self.registers.value(step.operand(0), warp, lane);
            let mut targets = active(mask).map(target);
            let first = targets.next();
            divergent += u64::from(targets.any(|target| Some(target) != first));
        }
        self.observer.branches(self.lanes.warps.len() as u64, divergent, self.group.position);
        self.advance()
    }

    fn trap(&mut self, step: &BoundStep) -> Run<bool> {
        let trapped = (0..self.lanes.warps.len()).find(|&index| self.active(step.guard, index) != 0);
        let Some(index) = trapped else { return Ok(self.advance()) };
        let mask = self.active(step.guard, index);
        Err(self.fault(FaultKind::Trap, index, mask, "the kernel executed `trap`".to_owned()))
    }

    fn fence(&mut self, step: &BoundStep, observe: impl Fn(&mut O, usize)) -> bool {
        // of a CPU that may reorder accesses, for blocks on other workers
        atomic::fence(atomic::Ordering::SeqCst);
        for index in 0..self.lanes.warps.len() {
            if O::EVERY_ACCESS && self.active(step.guard, index) != 0 {
                observe(&mut self.observer, usize::from(self.lanes.warps[index]));
            }
        }
        self.advance()
    }

    /// Reads the clock of the block, or its upper half.
    fn clock(&mut self, step: &BoundStep, high: bool) -> bool {
        self.spin.note_change(true);
        self.external_accesses += 1;
        let now = self.clock.read() >> if high { 32 } else { 0 };
        for (warp, mask) in self.lanes.each() {
            active(mask).for_each(|lane| self.registers.set_value(step.operand(0), warp, lane, now));
        }
        self.advance()
    }

    /// Advances the group to the next step, and returns true.
    pub(super) fn advance(&mut self) -> bool {
        self.group.position += 1;
        true
    }

    fn exit(&mut self, step: &BoundStep) -> bool {
        let next = self.group.position + 1;
        let count = self.lanes.warps.len();
        if (0..count).all(|index| self.active(step.guard, index) == 0) {
            return self.advance();
        }
        self.leave_at(next);
        for index in 0..count {
            let leaving = self.active(step.guard, index);
            let (warp, split) = self.group.members[index];
            if leaving != 0 {
                self.observer.part(warp, leaving, self.lanes.masks[index] & !leaving);
                self.warps[warp].exit(split, leaving);
            }
        }
        false
    }

    /// Returns the fault of the first lane whose assertion failed. The operands are expression, file, line and function.
    fn assertion_failed(&self, step: &BoundStep) -> Box<Stop> {
        let mask = self.lanes.masks[0];
        let thread = (usize::from(self.lanes.warps[0]), mask.trailing_zeros() as usize);
        let operand = |index| self.registers.value(step.operand(index), thread.0, thread.1);
        let text = |index| {
            let bytes = self.text_at(thread, operand(index)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let detail = format!("`{}` does not hold, {}:{}, in `{}`", text(0), text(1), operand(2), text(3));
        self.fault(FaultKind::Assertion, 0, mask, detail)
    }

    /// Returns a fault at the current step, in the lowest of the lanes `lanes` of member `index` of the group.
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

/// Sets `guarded` to the lanes for which the guard is true.
#[inline(always)]
fn restrict(guarded: &mut Lanes, lanes: &Lanes, registers: &Registers, guard: Guard<Rows>) {
    guarded.clear();
    guarded.full = false;
    for (warp, mask) in lanes.each() {
        guarded.push(warp, mask & guard.lanes(registers, warp));
    }
}
