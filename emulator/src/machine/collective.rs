//! Barriers, and who waits for whom at steps that need several lanes, warps or splits.

use super::block::{BlockMachine, set_value, value};
use super::events::{Mistake, Observer};
use super::split::{Split, Wait, Warp};
use super::stop::{Run, Stop};
use crate::ground::fault::FaultKind;
use crate::ground::lanes::{LANES, active};
use crate::isa::control::{Combine, ControlOperation};
use crate::lower::step::{Action, Step};

/// A split that takes part: its warp, number, lanes, and the step where it is.
#[derive(Clone, Copy, Debug)]
struct Part {
    warp: usize,
    split: usize,
    mask: u32,
    position: u32,
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a collective step for the group; false when it has to wait.
    pub(super) fn collective(&mut self, step: &Step, operation: ControlOperation) -> Run<bool> {
        match operation {
            ControlOperation::Barrier { .. } | ControlOperation::BarrierReduce(_) => Ok(self.barrier(step, operation)),
            ControlOperation::BarrierArrive => {
                self.arrive(step);
                Ok(self.go_on())
            }
            _ => Ok(self.warp_collective(step, operation)),
        }
    }

    /// Number of a barrier and its threads, from the lowest active lane.
    fn barrier_of(&self, step: &Step, warp: usize, mask: u32) -> (u32, u32) {
        let first = usize::from(step.results);
        let operand = |index| value(&self.registers, step, index, warp, mask.trailing_zeros() as usize) as u32;
        (operand(first), operand(first + 1))
    }

    fn arrive(&mut self, step: &Step) {
        self.observer.barriers(self.lanes.warps.len() as u64);
        for index in 0..self.lanes.warps.len() {
            let mask = self.lanes.masks[index];
            let (number, _) = self.barrier_of(step, usize::from(self.lanes.warps[index]), mask);
            let number = number as usize;
            if self.arrived.len() <= number && number < 16 {
                self.arrived.resize(number + 1, 0);
            }
            if let Some(count) = self.arrived.get_mut(number) {
                *count = count.saturating_add(mask.count_ones());
            }
        }
    }

    /// Lets the group through if it is the whole block, else makes it wait.
    fn barrier(&mut self, step: &Step, operation: ControlOperation) -> bool {
        self.observer.barriers(self.lanes.warps.len() as u64);
        if O::EVERY_ACCESS && operation != (ControlOperation::Barrier { aligned: false }) {
            self.report_divergent_barrier();
        }
        let here: u32 = self.lanes.masks.iter().map(|mask| mask.count_ones()).sum();
        let alive: u32 = self.warps.iter().map(|warp| warp.alive.count_ones()).sum();
        let first = self.barrier_of(step, usize::from(self.lanes.warps[0]), self.lanes.masks[0]);
        let mut each = self.lanes.warps.iter().zip(&self.lanes.masks);
        let alike = each.all(|(&warp, &mask)| self.barrier_of(step, usize::from(warp), mask) == first);
        let all_here = here == alive && alike && first.1 == 0;
        if let (true, ControlOperation::Barrier { .. }) = (all_here, operation) {
            // Nobody has to wait, and nothing is to be computed.
            self.pass_barrier(first.0);
            return self.go_on();
        }
        self.leave_at(self.group.position);
        for index in 0..self.group.members.len() {
            let (warp, split) = self.group.members[index];
            let (number, threads) = self.barrier_of(step, warp, self.lanes.masks[index]);
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

    /// Begins a new round of barrier `number`.
    fn pass_barrier(&mut self, number: u32) {
        self.observer.block_synchronised();
        if let Some(count) = self.arrived.get_mut(number as usize) {
            *count = 0;
        }
    }

    /// Tells of warps of which only some lanes are here.
    fn report_divergent_barrier(&mut self) {
        for (&warp, &mask) in self.lanes.warps.iter().zip(&self.lanes.masks) {
            let warp = usize::from(warp);
            if mask != self.warps[warp].alive {
                self.observer.mistaken(Mistake::DivergentBarrier, warp, mask, self.group.position);
            }
        }
    }

    /// Lets go every barrier and every warp-level step whose lanes are all there; false if there is none.
    pub(super) fn release_waiting(&mut self) -> Run<bool> {
        let mut released = false;
        for warp in 0..self.warps.len() {
            released |= self.release_lanes(warp);
        }
        if released {
            return Ok(true);
        }
        let alive: u32 = self.warps.iter().map(|warp| warp.alive.count_ones()).sum();
        let mut barriers: Vec<(u32, u32)> =
            self.waiting().filter_map(|(_, split)| barrier_of_wait(split.wait)).collect();
        barriers.sort_unstable();
        barriers.dedup();
        for (number, threads) in barriers {
            let here = self.waiting().filter(|(_, split)| barrier_of_wait(split.wait) == Some((number, threads)));
            // A barrier for a number of threads counts whole warps.
            let count: u32 = match threads {
                0 => here.map(|(_, split)| split.mask.count_ones()).sum(),
                _ => {
                    here.map(|(warp, _)| warp)
                        .fold((0, None), |(sum, last), warp| {
                            (sum + u32::from(last != Some(warp)) * LANES as u32, Some(warp))
                        })
                        .0
                }
            };
            let arrived = self.arrived.get(number as usize).copied().unwrap_or(0);
            if (threads == 0 && count == alive) || (threads != 0 && count.saturating_add(arrived) >= threads) {
                self.release_barrier(number);
                released = true;
            }
        }
        Ok(released)
    }

    fn waiting(&self) -> impl Iterator<Item = (usize, &Split)> {
        self.warps.iter().enumerate().flat_map(|(number, warp)| warp.each().map(move |(_, split)| (number, split)))
    }

    /// Sends everyone at barrier `number` on, with the result of its reduction if it has one.
    fn release_barrier(&mut self, number: u32) {
        let parts = self.parts(|wait| matches!(wait, Wait::Barrier { number: at, .. } if at == number));
        self.pass_barrier(number);
        let bound = self.bound;
        let (mut count, mut threads) = (0, 0);
        for part in &parts {
            let step = &bound.steps[part.position as usize];
            if let Action::Control(ControlOperation::BarrierReduce(_)) = step.action {
                let operand = usize::from(step.results) + 2;
                count += active(part.mask)
                    .filter(|&lane| value(&self.registers, step, operand, part.warp, lane) != 0)
                    .count();
                threads += part.mask.count_ones() as usize;
            }
        }
        for part in &parts {
            let step = &bound.steps[part.position as usize];
            if let Action::Control(ControlOperation::BarrierReduce(combine)) = step.action {
                let result = match combine {
                    Combine::Count => count as u64,
                    Combine::And => u64::from(count == threads),
                    _ => u64::from(count > 0),
                };
                active(part.mask).for_each(|lane| set_value(&mut self.registers, step, 0, part.warp, lane, result));
            }
            self.wake(part);
        }
    }

    fn wake(&mut self, part: &Part) {
        if let Some(split) = &mut self.warps[part.warp].splits[part.split] {
            split.wait = Wait::Ready;
            split.position = part.position + 1;
        }
    }

    /// The splits that wait for something.
    fn parts(&self, waits: impl Fn(Wait) -> bool) -> Vec<Part> {
        let of_warp = |(warp, state): (usize, &Warp)| -> Vec<Part> {
            let here = state.each().filter(|(_, split)| waits(split.wait));
            here.map(|(index, split)| Part { warp, split: index, mask: split.mask, position: split.position }).collect()
        };
        self.warps.iter().enumerate().flat_map(of_warp).collect()
    }

    /// A warp-level step: executes it where all lanes that it names are there.
    fn warp_collective(&mut self, step: &Step, operation: ControlOperation) -> bool {
        let mut complete = true;
        let done = self.whole_warps(step, operation);
        if done == self.lanes.warps.len() {
            return self.go_on();
        }
        for index in done..self.group.members.len() {
            let (warp, split) = self.group.members[index];
            let mask = self.lanes.masks[index];
            let missing = self.members(step, operation, warp, mask) & self.warps[warp].alive & !mask;
            complete &= missing == 0;
            if let (true, Some(split)) = (missing != 0, &mut self.warps[warp].splits[split]) {
                split.wait = Wait::Lanes { members: missing | mask };
            }
        }
        if !complete {
            self.leave_at(self.group.position);
            return false;
        }
        for index in done..self.group.members.len() {
            self.execute(self.group.position, operation, self.group.members[index].0, self.lanes.masks[index]);
        }
        self.go_on()
    }

    /// The lanes that one lane's warp-level step is for: its last source.
    pub(super) fn members_of(&self, step: &Step, warp: usize, lane: usize) -> u32 {
        let last = step.kinds.iter().take_while(|kind| kind.is_some()).count() - 1;
        value(&self.registers, step, last, warp, lane) as u32
    }

    /// The lanes that a warp-level step of the lanes `mask` is for, all of theirs together.
    fn members(&self, step: &Step, operation: ControlOperation, warp: usize, mask: u32) -> u32 {
        if operation == ControlOperation::ActiveMask {
            return mask;
        }
        active(mask).fold(0, |members, lane| members | self.members_of(step, warp, lane))
    }

    /// Lets go the splits of a warp that wait for each other at the same step; `bar.warp.sync` meets from
    /// different steps too.
    fn release_lanes(&mut self, warp: usize) -> bool {
        let bound = self.bound;
        let parts: Vec<Part> = self
            .parts(|wait| matches!(wait, Wait::Lanes { .. }))
            .into_iter()
            .filter(|part| part.warp == warp)
            .collect();
        for part in &parts {
            let step = &bound.steps[part.position as usize];
            let Action::Control(operation) = step.action else { continue };
            let together: Vec<&Part> = parts.iter().filter(|other| self.meets(part, other, operation)).collect();
            let mask = together.iter().fold(0, |mask, other| mask | other.mask);
            let needed = self.members(step, operation, warp, part.mask) & self.warps[warp].alive;
            if needed & !mask == 0 {
                self.execute(part.position, operation, warp, mask);
                together.iter().for_each(|other| self.wake(other));
                return true;
            }
        }
        false
    }

    fn meets(&self, part: &Part, other: &Part, operation: ControlOperation) -> bool {
        let is_barrier = |part: &Part| {
            self.bound.steps[part.position as usize].action == Action::Control(ControlOperation::WarpBarrier)
        };
        part.position == other.position || (operation == ControlOperation::WarpBarrier && is_barrier(other))
    }

    /// Nobody can run: says who waits where.
    pub(super) fn deadlock(&self) -> Box<Stop> {
        let mut reasons = Vec::new();
        let mut first = None;
        for (number, split) in self.waiting() {
            let line = self.bound.program.origins[self.bound.steps[split.position as usize].origin as usize].line;
            let lanes = split.mask.count_ones();
            let reason = match split.wait {
                Wait::Barrier { number: barrier, .. } => {
                    format!("{lanes} threads of warp {number} wait at barrier {barrier} (PTX line {line})")
                }
                Wait::Lanes { members } => format!(
                    "{lanes} threads of warp {number} wait at PTX line {line} for lanes {:#010x}",
                    members & !split.mask
                ),
                _ => continue,
            };
            first = first.or(Some((number, split.mask, split.position)));
            reasons.push(reason);
        }
        let total = reasons.len();
        reasons.truncate(4);
        let more = if total > 4 { format!("; and {} more", total - 4) } else { String::new() };
        let (warp, mask, position) = first.unwrap_or((0, 1, 0));
        let detail = format!("threads wait for others that never come: {}{more}", reasons.join("; "));
        let lane = mask.trailing_zeros() as usize;
        Box::new(Stop::Fault { kind: FaultKind::Deadlock, position, warp, lane, detail })
    }
}

fn barrier_of_wait(wait: Wait) -> Option<(u32, u32)> {
    match wait {
        Wait::Barrier { number, threads } => Some((number, threads)),
        _ => None,
    }
}
