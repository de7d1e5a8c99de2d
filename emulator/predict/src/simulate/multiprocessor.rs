//! The schedulers and the resident blocks of a multiprocessor, cycle by cycle; cycles without an issue are skipped.

use super::machine::{MILLI, Setting, Simulation, Work};
use super::phases::{Key, Phases};
use super::stalls::{Completion, Reason, Stalls};
use super::units::Units;
use super::warp::{Code, Fetched, Warp};
use crate::code::operation::Unit;
use emulator::{Direction, PhaseStep, StreamedPhase};
use std::collections::VecDeque;

/// The number of schedulers.
const SCHEDULERS: usize = 4;

/// The number of points at which progress is noted.
const POINTS: u64 = 64;

/// A scheduler with its warps.
#[derive(Default)]
struct Scheduler {
    /// The warps from the oldest to the youngest.
    warps: Vec<usize>,
    /// The warp that issued last.
    last: Option<usize>,
    /// The next cycle in which a warp may be able to issue.
    wake: u64,
}

/// A resident block.
struct Resident {
    warps: Vec<usize>,
    /// The number of warps that have not ended.
    alive: usize,
    /// The number of warps at the barrier.
    arrived: usize,
    /// The cycle in which memory has all that it stored: it ends not before.
    stored: u64,
}

/// A multiprocessor that executes blocks.
pub(super) struct Multiprocessor<'a> {
    setting: &'a Setting<'a>,
    work: &'a Work<'a>,
    units: Units<'a>,
    schedulers: [Scheduler; SCHEDULERS],
    warps: Vec<Warp<'a>>,
    blocks: Vec<Resident>,
    phases: Phases,
    /// The number of blocks that have started and not ended.
    resident: usize,
    /// The cycles from which blocks can start in the places of those that have ended, in ascending order.
    vacated: VecDeque<u64>,
    /// The cycle in which all arrivals at barriers have been counted.
    arrivals: u64,
    /// The earliest start of the next block, in thousandths of a cycle.
    next_start: u64,
    now: u64,
    result: Simulation,
    stalls: Stalls,
}

impl<'a> Multiprocessor<'a> {
    pub(super) fn new(setting: &'a Setting<'a>, work: &'a Work<'a>) -> Self {
        Self {
            setting,
            work,
            units: Units::new(setting),
            schedulers: Default::default(),
            warps: Vec::new(),
            blocks: Vec::new(),
            phases: Phases::default(),
            resident: 0,
            vacated: VecDeque::new(),
            arrivals: 0,
            next_start: 0,
            now: 0,
            result: Simulation::default(),
            stalls: Stalls::default(),
        }
    }

    /// Runs until all blocks have ended, or the simulation is cut or stuck.
    pub(super) fn run(&mut self) {
        loop {
            let start = self.start_blocks();
            for scheduler in 0..SCHEDULERS {
                if self.schedulers[scheduler].wake <= self.now {
                    self.turn(scheduler);
                }
            }
            self.note_progress();
            let is_last = self.blocks.len() == self.work.blocks.len();
            if self.result.is_cut || self.resident == 0 && is_last {
                return;
            }
            // A place that was vacated in this cycle is not yet in `start`.
            let vacated = self.vacated.front().copied().filter(|_| !is_last);
            let wakes = self.schedulers.iter().map(|scheduler| scheduler.wake).chain(start).chain(vacated);
            let next = wakes.min().unwrap_or(u64::MAX);
            if next == u64::MAX {
                self.result.is_stuck = true;
                return;
            }
            self.now = next.max(self.now + 1);
        }
    }

    pub(super) fn finish(mut self) -> Simulation {
        let last = self.result.ends.iter().copied().max().unwrap_or(0);
        self.result.cycles = if self.result.is_cut { self.now } else { last.max(self.units.drained()) };
        self.result.ends.sort_unstable();
        self.result.progress.push((self.now, self.units.busy.issue));
        self.result.stalls = self.stalls;
        self.result.busy = self.units.busy;
        self.result.busy.device_memory = self.units.device.busy;
        self.result.busy.displaced_constants = self.units.constants.busy_if_displaced;
        self.result.lacked = self.units.device.lacked;
        self.result
    }

    /// Starts as many blocks as fit. Returns the cycle in which the next one may start, if only time is missing.
    fn start_blocks(&mut self) -> Option<u64> {
        while self.vacated.front().is_some_and(|at| *at <= self.now) {
            self.vacated.pop_front();
        }
        while self.blocks.len() < self.work.blocks.len() {
            if self.resident + self.vacated.len() >= self.setting.resident {
                return self.vacated.front().copied();
            }
            let at = self.next_start.div_ceil(MILLI);
            if at > self.now {
                return Some(at);
            }
            self.next_start =
                self.next_start.max(self.now * MILLI) + self.setting.gpu.block_start_millicycles(self.setting.occupied);
            self.start_block();
        }
        None
    }

    fn code(&self) -> Code<'a> {
        Code { blocks: self.work.code, heads: self.work.heads }
    }

    fn start_block(&mut self) {
        let work = self.work;
        let number = self.blocks.len();
        let streams = &work.blocks[number].warps;
        let code = self.code();
        let first = self.warps.len();
        self.blocks.push(Resident { warps: (first..first + streams.len()).collect(), alive: 0, arrived: 0, stored: 0 });
        self.resident += 1;
        self.phases.expect(number, work.blocks[number]);
        for (index, events) in streams.iter().enumerate() {
            let mut warp = Warp::new(number, events, self.setting.registers, self.now);
            let fetched = warp.fetch(code, self.now);
            self.warps.push(warp);
            if fetched == Fetched::Operation {
                self.blocks[number].alive += 1;
                let scheduler = &mut self.schedulers[(first + index) % SCHEDULERS];
                scheduler.warps.push(first + index);
                scheduler.wake = self.now;
            }
        }
        if self.blocks[number].alive == 0 {
            self.end_block(number);
        }
    }

    fn end_block(&mut self, number: usize) {
        self.resident -= 1;
        self.phases.end(number);
        let end = self.blocks[number].stored.max(self.now);
        self.result.ends.push(end);
        let vacated = end + self.setting.gpu.latency.next_block;
        let place = self.vacated.partition_point(|other| *other <= vacated);
        self.vacated.insert(place, vacated);
    }

    /// Lets a scheduler issue one operation, or sleep until a warp can.
    fn turn(&mut self, number: usize) {
        match self.choose(number) {
            Ok(warp) => {
                self.schedulers[number].last = Some(warp);
                self.schedulers[number].wake = self.now + 1;
                self.issue(number, warp);
            }
            Err(wake) => self.schedulers[number].wake = wake,
        }
    }

    /// Returns the warp that issues: the last one if it can, else the oldest that can. If none can, returns the next cycle in
    /// which one may be able to.
    fn choose(&self, number: usize) -> Result<usize, u64> {
        let scheduler = &self.schedulers[number];
        let mut wake = u64::MAX;
        for &warp in scheduler.last.iter().chain(&scheduler.warps) {
            if self.warps[warp].waits_at_barrier {
                continue;
            }
            let at = self.possible(number, warp);
            if at <= self.now {
                return Ok(warp);
            }
            wake = wake.min(at);
        }
        Err(wake)
    }

    /// Returns the first cycle in which a warp can issue.
    fn possible(&self, number: usize, warp: usize) -> u64 {
        let warp = &self.warps[warp];
        if warp.earliest.0 > self.now {
            return warp.earliest.0;
        }
        self.units.free(number, warp.operation(self.code())).0
    }

    fn issue(&mut self, number: usize, index: usize) {
        self.count_waiting(number, index);
        let code = self.code();
        let now = self.now;
        let warp = &mut self.warps[index];
        let operation = warp.operation(code);
        self.units.read_registers(number, operation, now);
        let access = if operation.accesses_memory() { warp.access(operation) } else { None };
        let has_phases = matches!(operation.unit, Unit::Barrier | Unit::Arrival | Unit::Phase | Unit::BulkCopy);
        let phases = if has_phases { warp.phases(operation) } else { Vec::new() };
        let mut complete = now;
        if operation.unit == Unit::BulkCopy {
            let all = &self.work.blocks[warp.block].sectors;
            let rows = warp.rows(operation).map(|row| &all[row.first_sector as usize..][..row.sectors.into()]);
            complete = self.units.copy_rows(rows, now);
        }
        let completion = match access {
            Some(access) if operation.unit == Unit::Shared => {
                let joined = operation.instructions.len() > 1;
                let is_atomic = access.direction == Direction::Atomic;
                self.units.access_shared(wavefronts(access, joined), is_atomic, now)
            }
            Some(access) => {
                let first = access.first_sector as usize;
                let sectors = &self.work.blocks[warp.block].sectors[first..first + usize::from(access.sectors)];
                if operation.unit == Unit::Constant {
                    self.units.constants.load(access, sectors, now)
                } else {
                    self.units.access_global(operation, access, sectors, now)
                }
            }
            // The guard is false in all lanes.
            None if operation.accesses_memory() => Completion { at: now, released: now, reason: Reason::Dependency },
            None => self.units.compute(number, operation, now),
        };
        if matches!(operation.unit, Unit::Store | Unit::Atomic) {
            let stored = &mut self.blocks[warp.block].stored;
            *stored = completion.at.max(*stored);
        }
        warp.complete(operation, completion);
        let latency = &self.setting.gpu.latency;
        let least = now + operation.slots.max(operation.stall);
        let from = match operation.unit {
            Unit::Branch if warp.branches_away() => least.max(now + latency.taken_branch),
            // Machine code states the cycles that a branch takes.
            Unit::Branch if operation.stall == 0 => now + latency.branch,
            _ => least,
        };
        warp.idle_since = now + operation.slots;
        self.schedulers[number].wake = now + operation.slots;
        let is_barrier = operation.unit == Unit::Barrier && phases.is_empty();
        let is_last = warp.fetch(code, from) == Fetched::End;
        for phase in phases {
            self.take_phase(index, &phase, complete);
        }
        if is_last {
            self.end_warp(number, index);
        } else if is_barrier {
            self.arrive(index);
        }
    }

    /// Takes a step of a warp at a barrier with phases, whose copies are complete in a cycle.
    fn take_phase(&mut self, index: usize, phase: &StreamedPhase, copied: u64) {
        let key = Key::new(self.warps[index].block, phase);
        let latency = self.setting.gpu.latency.arrival;
        match phase.step {
            PhaseStep::Wait => match self.phases.wait(key, index) {
                Some((at, reason)) => self.pass_phase(index, (at.max(self.now) + latency, reason)),
                None => self.warps[index].waits_at_barrier = true,
            },
            step => {
                let at = if step == PhaseStep::Copy { copied } else { self.now + latency };
                let (waiting, (at, reason)) = self.phases.arrive(key, step, at);
                for warp in waiting {
                    self.warps[warp].waits_at_barrier = false;
                    self.pass_phase(warp, (at.max(self.now) + latency, reason));
                }
            }
        }
    }

    /// Lets a warp go on after a phase.
    fn pass_phase(&mut self, index: usize, from: (u64, Reason)) {
        let warp = &mut self.warps[index];
        warp.earliest = if warp.earliest.0 < from.0 { from } else { warp.earliest };
        let scheduler = &mut self.schedulers[index % SCHEDULERS];
        scheduler.wake = scheduler.wake.min(from.0);
    }

    /// Adds the cycles that a warp waited before this issue to the reasons.
    fn count_waiting(&mut self, number: usize, index: usize) {
        let warp = &self.warps[index];
        let (ready, reason) = warp.earliest;
        let ready = ready.clamp(warp.idle_since, self.now);
        self.stalls.add(reason, ready - warp.idle_since);
        let (free, unit_reason) = self.units.free(number, warp.operation(self.code()));
        let free = free.clamp(ready, self.now);
        self.stalls.add(unit_reason, free - ready);
        self.stalls.add(Reason::Issue, self.now - free);
    }

    /// Lets a warp wait at the barrier of its block, and all go on if it is the last.
    fn arrive(&mut self, index: usize) {
        let block = self.warps[index].block;
        self.warps[index].waits_at_barrier = true;
        self.blocks[block].arrived += 1;
        self.arrivals = self.arrivals.max(self.now) + self.setting.gpu.interval.arrival;
        self.release(block);
    }

    fn release(&mut self, block: usize) {
        let resident = &mut self.blocks[block];
        if resident.arrived == 0 || resident.arrived < resident.alive {
            return;
        }
        resident.arrived = 0;
        let from = self.arrivals.max(self.now) + self.setting.gpu.latency.barrier;
        for &index in &self.blocks[block].warps {
            let warp = &mut self.warps[index];
            if std::mem::take(&mut warp.waits_at_barrier) {
                self.stalls.add(Reason::Barrier, from.saturating_sub(warp.idle_since));
                warp.idle_since = from;
                warp.earliest = if warp.earliest.0 < from { (from, Reason::Barrier) } else { warp.earliest };
                let scheduler = &mut self.schedulers[index % SCHEDULERS];
                scheduler.wake = scheduler.wake.min(from);
            }
        }
    }

    /// Ends a warp. If its stream was cut, so is the simulation.
    fn end_warp(&mut self, number: usize, index: usize) {
        let scheduler = &mut self.schedulers[number];
        scheduler.warps.retain(|&other| other != index);
        scheduler.last = None;
        let block = self.warps[index].block;
        let first = self.blocks[block].warps[0];
        self.result.is_cut |= self.work.blocks[block].cut[index - first];
        self.blocks[block].alive -= 1;
        if self.blocks[block].alive == 0 {
            self.end_block(block);
        } else {
            self.release(block);
        }
    }

    /// Notes where the simulation is, and cuts it after the largest number of issue slots.
    fn note_progress(&mut self) {
        let slots = self.units.busy.issue;
        let noted = self.result.progress.last().map_or(0, |(_, slots)| *slots);
        if slots >= noted + self.setting.max_slots / POINTS {
            self.result.progress.push((self.now, slots));
        }
        self.result.is_cut |= slots >= self.setting.max_slots;
    }
}

/// Returns the wavefronts of an access to shared memory. A joined one moves 16 bytes per lane: one wavefront per 128 bytes, but
/// two if all lanes read the same words.
fn wavefronts(access: &emulator::StreamedAccess, is_joined: bool) -> u64 {
    let own = u64::from(access.wavefronts);
    match (is_joined, access.addresses) {
        (false, _) => own,
        (true, 1) => 2,
        (true, _) => own.max(4),
    }
}
