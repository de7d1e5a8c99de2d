//! Barriers of the block.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::{Mistake, Observer};
use super::split::{Wait, Warp};
use super::stop::Run;
use super::waiting::Part;
use crate::ground::lanes::{WARP_SIZE, active};
use crate::isa::barrier::{Barrier, Poll};
use crate::lower::step::Action;
use crate::vector::lanes::Lanes;

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a barrier step for the group and returns false if the group has to wait.
    pub(super) fn barrier(&mut self, step: &BoundStep, barrier: Barrier) -> bool {
        self.observer.barriers(self.lanes.warps.len() as u64);
        match barrier {
            Barrier::Arrive => self.arrive(step),
            Barrier::Wait { aligned } => self.wait_at_barrier(step, aligned, false),
            Barrier::Poll(_) => self.wait_at_barrier(step, true, true),
        }
    }

    /// Returns the number of a barrier and its number of threads, from the lowest active lane.
    fn barrier_of(&self, step: &BoundStep, warp: usize, mask: u32) -> (u32, u32) {
        let first = usize::from(step.results);
        let operand = |index| self.registers.value(step.operand(index), warp, mask.trailing_zeros() as usize) as u32;
        (operand(first), operand(first + 1))
    }

    /// Counts the group as arrived, and continues.
    fn arrive(&mut self, step: &BoundStep) -> bool {
        if O::EVERY_ACCESS {
            self.report_count(step);
        }
        for index in 0..self.lanes.warps.len() {
            let mask = self.lanes.masks[index];
            let warp = usize::from(self.lanes.warps[index]);
            let (number, _) = self.barrier_of(step, warp, mask);
            self.arrivals.add(number, mask.count_ones());
            self.observer.arrives_at_part(number, warp, false, self.group.position);
        }
        self.advance()
    }

    /// Passes the barrier if the group is the whole block; otherwise the group waits. `polls`: the barrier computes a
    /// reduction.
    fn wait_at_barrier(&mut self, step: &BoundStep, aligned: bool, polls: bool) -> bool {
        if O::EVERY_ACCESS && !self.report_count(step) && aligned {
            self.report_divergent_barrier();
        }
        let first = self.barrier_of(step, usize::from(self.lanes.warps[0]), self.lanes.masks[0]);
        let operands = usize::from(step.results)..usize::from(step.results) + 2;
        // Values that all warps share, as literals are.
        let shared = step.places[operands].iter().all(|rows| rows.stride == 0);
        let alike = || self.lanes.each().all(|(warp, mask)| self.barrier_of(step, warp, mask) == first);
        let all_here = first.1 == 0 && is_everyone(&self.lanes, &self.warps) && (shared || alike());
        if all_here && !polls {
            // All threads are here, and there is no reduction.
            self.pass_barrier(first.0);
            return self.advance();
        }
        self.leave_at(self.group.position);
        for index in 0..self.group.members.len() {
            let (warp, split) = self.group.members[index];
            let (number, threads) = self.barrier_of(step, warp, self.lanes.masks[index]);
            if threads != 0 {
                self.observer.arrives_at_part(number, warp, true, self.group.position);
            }
            if let Some(split) = &mut self.warps[warp].splits[split] {
                split.wait = Wait::Barrier { number, threads };
            }
        }
        if all_here {
            self.release_barrier(first.0);
            self.group.position += 1;
        }
        all_here
    }

    /// Records that the threads of the block have synchronized at barrier `number`.
    fn pass_barrier(&mut self, number: u32) {
        self.observer.block_synchronized();
        self.observer.part_synchronized(number);
        self.arrivals.clear(number);
    }

    /// Reports barriers for a number of threads that is not a multiple of the warp size, as PTX requires, and returns whether there
    /// are any. Which lanes of the last warp are missing is no mistake of its own then.
    fn report_count(&mut self, step: &BoundStep) -> bool {
        let mut any = false;
        for (&warp, &mask) in self.lanes.warps.iter().zip(&self.lanes.masks) {
            let (_, threads) = self.barrier_of(step, usize::from(warp), mask);
            if !threads.is_multiple_of(WARP_SIZE as u32) {
                any = true;
                self.observer.mistaken(Mistake::PartOfWarp { threads }, warp.into(), mask, self.group.position);
            }
        }
        any
    }

    /// Reports warps of which only some lanes are at the barrier.
    pub(super) fn report_divergent_barrier(&mut self) {
        for (&warp, &mask) in self.lanes.warps.iter().zip(&self.lanes.masks) {
            let warp = usize::from(warp);
            if mask != self.warps[warp].alive {
                self.observer.mistaken(Mistake::DivergentBarrier, warp, mask, self.group.position);
            }
        }
    }

    /// Releases the splits whose waits at barriers, warp-level steps and mbarriers are over, and returns whether there are
    /// any.
    pub(super) fn release_waiting(&mut self) -> Run<bool> {
        if let Some(number) = barrier_of_all(&self.warps) {
            self.release_barrier(number);
            return Ok(true);
        }
        let mut released =
            self.release_phases()? | self.release_warpgroups() | self.release_cluster() | self.release_registers();
        for warp in 0..self.warps.len() {
            released |= self.release_lanes(warp);
        }
        if released {
            return Ok(true);
        }
        let alive: u32 = self.warps.iter().map(|warp| warp.alive.count_ones()).sum();
        let mut barriers: Vec<(u32, u32)> =
            self.splits().filter_map(|(_, split)| barrier_of_wait(split.wait)).collect();
        barriers.sort_unstable();
        barriers.dedup();
        for (number, threads) in barriers {
            let here = self.splits().filter(|(_, split)| barrier_of_wait(split.wait) == Some((number, threads)));
            // A barrier for a given number of threads counts whole warps.
            let count: u32 = match threads {
                0 => here.map(|(_, split)| split.mask.count_ones()).sum(),
                _ => {
                    here.map(|(warp, _)| warp)
                        .fold((0, None), |(sum, last), warp| {
                            (sum + u32::from(last != Some(warp)) * WARP_SIZE as u32, Some(warp))
                        })
                        .0
                }
            };
            let arrived = self.arrivals.at(number);
            if (threads == 0 && count == alive) || (threads != 0 && count.saturating_add(arrived) >= threads) {
                self.release_barrier(number);
                released = true;
            }
        }
        Ok(released)
    }

    /// Reports whole warps that wait for the block at different barriers. CUDA allows `__syncthreads()` in a branch only if all
    /// threads of the block take it. PTX allows warps to meet at different instructions, and roles of warps rely on it: with barriers
    /// that have a number or a count of their own, which are therefore not reported. What a compiler writes twice, in an unrolled loop
    /// or in both sides of a branch, is one barrier: the instructions have the same line of the source, and the same calls around
    /// it, or the same line of the PTX. Without line numbers, two instructions are two barriers, because compilers do not copy a
    /// barrier to where other threads may not follow (LLVM calls it convergent).
    fn report_barriers_of_branches(&mut self, parts: &[Part]) {
        let all_threads = |part: &&Part| {
            let warp = &self.warps[part.warp];
            let waits = warp.splits[part.split].map(|split| split.wait);
            part.mask == warp.alive && matches!(waits, Some(Wait::Barrier { threads: 0, .. }))
        };
        let mut whole: Vec<Part> = parts.iter().filter(all_threads).copied().collect();
        whole.sort_by_key(|part| (part.position, part.warp));
        let Some(&first) = whole.first() else { return };
        let origin = |part: &Part| self.bound.program.origins[self.bound.steps[part.position as usize].origin as usize];
        let is_other = |part: &Part| {
            let [here, there] = [origin(&first), origin(part)];
            here.line != there.line && (here.source.site == 0 || here.source.site != there.source.site)
        };
        whole.retain(is_other);
        for other in whole {
            let [here, there] = [first, other].map(|part| (part.warp, part.position, part.mask));
            self.observer.met_at_different_barriers(here, there);
        }
    }

    /// Releases all splits at barrier `number`, with the result of its reduction if there is one.
    fn release_barrier(&mut self, number: u32) {
        let parts = self.parts(&|wait| matches!(wait, Wait::Barrier { number: at, .. } if at == number));
        self.pass_barrier(number);
        if O::EVERY_ACCESS && number == 0 {
            self.report_barriers_of_branches(&parts);
        }
        let bound = self.bound;
        let mut count = 0;
        let mut threads = 0;
        for part in &parts {
            let step = &bound.steps[part.position as usize];
            if let Action::Barrier(Barrier::Poll(_)) = step.action {
                let operand = usize::from(step.results) + 2;
                count += active(part.mask)
                    .filter(|&lane| self.registers.value(step.operand(operand), part.warp, lane) != 0)
                    .count();
                threads += part.mask.count_ones() as usize;
            }
        }
        for part in &parts {
            let step = &bound.steps[part.position as usize];
            if let Action::Barrier(Barrier::Poll(poll)) = step.action {
                let result = match poll {
                    Poll::Count => count as u64,
                    Poll::All => u64::from(count == threads),
                    Poll::Any => u64::from(count > 0),
                };
                active(part.mask).for_each(|lane| self.registers.set_value(step.operand(0), part.warp, lane, result));
            }
            self.wake(part);
        }
    }
}

/// Returns whether these are all lanes of a block that have not exited.
fn is_everyone(lanes: &Lanes, warps: &[Warp]) -> bool {
    let mut each = lanes.each();
    let alive = warps.iter().enumerate().filter(|(_, warp)| warp.alive != 0);
    alive.map(|(number, warp)| (number, warp.alive)).all(|warp| each.next() == Some(warp))
}

/// Returns the number of the barrier at which all threads of a block wait, if there is one. The lists of
/// [`BlockMachine::release_waiting`] would find the same barrier, but take longer. Not a method, which would be compiled again for each
/// observer.
fn barrier_of_all(warps: &[Warp]) -> Option<u32> {
    let mut common = None;
    for warp in warps {
        let mut here = 0;
        for (_, split) in warp.each() {
            match split.wait {
                Wait::Barrier { number, threads: 0 } if common.is_none_or(|common| common == number) => {
                    (common, here) = (Some(number), here | split.mask);
                }
                Wait::Reconvergence(_) => {}
                _ => return None,
            }
        }
        if here != warp.alive {
            return None;
        }
    }
    common
}

fn barrier_of_wait(wait: Wait) -> Option<(u32, u32)> {
    match wait {
        Wait::Barrier { number, threads } => Some((number, threads)),
        _ => None,
    }
}
