//! Mbarriers: barriers in shared memory, with arrivals of threads and of completed copies.
//!
//! A split that executes `try_wait` waits until the phase of one of its lanes completes, as hardware suspends it.
//! [`BlockMachine::time_out_unless_repeated`] limits the wait.

use super::bind::{Bound, BoundStep};
use super::block::BlockMachine;
use super::events::{AccessKind, Arriving, Observer};
use super::pending_copies::ThreadAtBarrier;
use super::split::{Split, Wait};
use super::stop::{Run, Stop, Waiting};
use super::suspended::SuspendedBlock;
use super::waiting::Part;
use super::word::{cells, read, write};
use crate::ground::cluster::rank_of;
use crate::ground::fault::FaultKind;
use crate::ground::lanes::{WARP_SIZE, active};
use crate::isa::mbarrier::{Arrival, Mbarrier, MbarrierAction};
use crate::isa::mbarrier_state::{State, Wrong};
use crate::lower::step::Action;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The size of an mbarrier in bytes.
const BYTES: u32 = 8;

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes an mbarrier step for the group and returns false if a split has to wait.
    pub(super) fn mbarrier(&mut self, step: &BoundStep, operation: Mbarrier) -> Run<bool> {
        let plain = matches!(operation.action, MbarrierAction::Initialize | MbarrierAction::Invalidate);
        let mut parks = false;
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let mask = self.active(step.guard, index);
            let tests = matches!(operation.action, MbarrierAction::Test { .. });
            let kind = AccessKind::Barrier { plain, tests };
            if let MbarrierAction::Expect | MbarrierAction::Arrive(_) = operation.action
                && self.bound.has_clusters
            {
                self.act_in_cluster(step, operation, index, mask)?;
                continue;
            }
            let offsets = self.shared_offsets(step, usize::from(step.results), index, mask, BYTES, kind)?;
            let position = self.group.position;
            let at = |lane: usize| ThreadAtBarrier { offset: offsets[lane], warp, lane, position };
            if let MbarrierAction::Test { parity, waits } = operation.action {
                let over = self.test(step, parity, waits, active(mask).map(at))?;
                parks |= waits && mask != 0 && over == 0;
                self.set_tested(step, operation, mask, over, &at);
            } else {
                for lane in active(mask) {
                    self.act(step, operation, &at(lane))?;
                }
            }
        }
        if parks { Ok(self.park(step)) } else { Ok(self.advance()) }
    }

    /// Executes an arrival, or expects bytes, for the lanes `mask`, each at an mbarrier of any block of the cluster.
    fn act_in_cluster(&mut self, step: &BoundStep, operation: Mbarrier, index: usize, mask: u32) -> Run<()> {
        let warp = usize::from(self.lanes.warps[index]);
        let position = self.group.position;
        for lane in active(mask) {
            let address = self.registers.value(step.operand(step.results.into()), warp, lane);
            let (rank, offset) = rank_of(address);
            self.with_peer(rank, (index, lane), |machine| {
                let kind = Some(AccessKind::Barrier { plain: false, tests: false });
                let offset = machine.shared_offset(step, (index, lane), offset, BYTES, kind)?;
                machine.act(step, operation, &ThreadAtBarrier { offset, warp, lane, position })
            })?;
        }
        Ok(())
    }

    /// Executes an mbarrier operation for one thread.
    fn act(&mut self, step: &BoundStep, operation: Mbarrier, at: &ThreadAtBarrier) -> Run<()> {
        let second = step.operand(usize::from(step.results) + 1);
        let value = self.registers.value(second, at.warp, at.lane) as u32;
        match operation.action {
            MbarrierAction::Initialize => {
                let state = self.sound(State::new(value), at)?;
                self.set_barrier(at.offset, state.bits());
                self.observer.initializes_barrier();
            }
            MbarrierAction::Invalidate => {
                self.barrier_at(at)?;
                self.set_barrier(at.offset, 0);
            }
            MbarrierAction::Expect => {
                let state = self.barrier_at(at)?.expecting(value.into());
                let state = self.sound(state, at)?;
                self.settle(at.offset, state, Arriving::Unordered);
            }
            MbarrierAction::Arrive(arrival) => {
                let before = self.barrier_at(at)?;
                let after = self.sound(arrive(before, arrival, value), at)?;
                let by = if operation.orders { Arriving::Thread(at.warp, at.lane) } else { Arriving::Unordered };
                self.settle(at.offset, after, by);
                self.registers.set_value(step.operand(0), at.warp, at.lane, before.bits());
            }
            MbarrierAction::ArriveAfterCopies { adds } => {
                let state = self.barrier_at(at)?;
                if adds {
                    let state = self.sound(state.with_one_more(), at)?;
                    self.set_barrier(at.offset, state.bits());
                }
                self.spin.note_change(true);
                self.copies.arrive_after(*at);
            }
            // `test` handles all lanes together.
            MbarrierAction::Test { .. } => {}
        }
        Ok(())
    }

    /// Returns the lanes whose phase is complete. Pending copies complete before the result of a thread that waits, and
    /// after the result of one that does not.
    fn test(
        &mut self,
        step: &BoundStep,
        parity: bool,
        waits: bool,
        lanes: impl Iterator<Item = ThreadAtBarrier>,
    ) -> Run<u32> {
        let mut over = 0;
        for at in lanes {
            self.barrier_at(&at)?;
            if waits {
                self.complete_at(at.offset)?;
            }
            let state = self.barrier_at(&at)?;
            let asked = self.registers.value(step.operand(2), at.warp, at.lane);
            let asked = if parity { asked & 1 != 0 } else { State::from_bits(asked).parity() };
            if state.parity() != asked {
                over |= 1 << at.lane;
            } else if !waits {
                self.complete_at(at.offset)?;
            }
        }
        Ok(over)
    }

    /// Writes the results of the lanes `mask`. The phases of the lanes `over` are complete.
    fn set_tested(
        &mut self,
        step: &BoundStep,
        operation: Mbarrier,
        mask: u32,
        over: u32,
        at: &impl Fn(usize) -> ThreadAtBarrier,
    ) {
        for lane in active(mask) {
            let ThreadAtBarrier { offset, warp, .. } = at(lane);
            let passes = over >> lane & 1 != 0;
            self.registers.set_value(step.operand(0), warp, lane, passes.into());
            if passes && operation.orders {
                self.observer.passes(offset as u64, warp, lane);
            }
        }
    }

    /// Makes the splits of the group wait for which no phase is complete; the others continue.
    fn park(&mut self, step: &BoundStep) -> bool {
        let next = self.group.position + 1;
        for index in 0..self.group.members.len() {
            let (warp, split) = self.group.members[index];
            let mask = self.active(step.guard, index);
            let passes = mask == 0 || self.registers.predicates[step.places[0].row(warp)] & mask != 0;
            if let Some(split) = &mut self.warps[warp].splits[split] {
                (split.position, split.wait) = if passes { (next, Wait::Ready) } else { (next - 1, Wait::Phase) };
            }
        }
        false
    }

    /// Releases the waiting splits with a lane whose phase is complete, and returns whether there are any.
    pub(super) fn release_phases(&mut self) -> Run<bool> {
        let bound = self.bound;
        let mut released = false;
        for part in self.parts(&|wait| wait == Wait::Phase) {
            let step = &bound.steps[part.position as usize];
            let Action::Mbarrier(operation @ Mbarrier { action: MbarrierAction::Test { parity, .. }, .. }) =
                step.action
            else {
                continue;
            };
            let mask = self.mask_of(step, &part);
            let offsets: [usize; WARP_SIZE] = std::array::from_fn(|lane| {
                self.own_offset(self.registers.value(step.operand(1), part.warp, lane)) as usize
            });
            let at =
                |lane: usize| ThreadAtBarrier { offset: offsets[lane], warp: part.warp, lane, position: part.position };
            let over = self.test(step, parity, true, active(mask).map(at))?;
            if over != 0 {
                self.set_tested(step, operation, mask, over, &at);
                self.wake(&part);
                released = true;
            }
        }
        Ok(released)
    }

    /// Returns the lanes of a waiting split for which its guard is true.
    fn mask_of(&self, step: &BoundStep, part: &Part) -> u32 {
        step.guard.map_or(part.mask, |guard| part.mask & guard.lanes(&self.registers, part.warp))
    }

    /// Describes the mbarrier for which the first lane of a waiting split waits.
    pub(super) fn phase_of(&self, warp: usize, split: &Split) -> String {
        let step = &self.bound.steps[split.position as usize];
        let mask = step.guard.map_or(split.mask, |guard| split.mask & guard.lanes(&self.registers, warp));
        let lane = mask.trailing_zeros() as usize % WARP_SIZE;
        let offset = self.own_offset(self.registers.value(step.operand(1), warp, lane));
        describe(offset, State::in_memory(read(&self.memories.shared, offset as usize, 8)).ok())
    }

    /// Returns the state of the mbarrier that a thread accesses.
    pub(super) fn barrier_at(&self, at: &ThreadAtBarrier) -> Run<State> {
        self.sound(State::in_memory(read(&self.memories.shared, at.offset, 8)), at)
    }

    fn set_barrier(&mut self, offset: usize, bits: u64) {
        self.spin.note_change(true);
        write(cells(&mut self.memories.shared), offset, 8, bits);
    }

    /// Stores the state of an mbarrier, and ends its phase if the phase is complete.
    fn settle(&mut self, offset: usize, state: State, by: Arriving) {
        let (state, ends) = state.settle();
        self.set_barrier(offset, state.bits());
        self.observer.arrives(offset as u64, by, ends);
    }

    /// Arrives at an mbarrier for completed copies: `bytes` of a bulk copy, or the copies of a lane.
    pub(super) fn arrive_completed(&mut self, at: &ThreadAtBarrier, bytes: Option<u32>) -> Run<()> {
        let state = self.barrier_at(at)?;
        let state = match bytes {
            Some(bytes) => state.expecting(-i64::from(bytes)),
            None => state.arrive(1),
        };
        let state = self.sound(state, at)?;
        self.settle(at.offset, state, Arriving::Copies);
        Ok(())
    }

    /// Returns the state, or the fault of the thread that caused an invalid one.
    fn sound(&self, state: Result<State, Wrong>, at: &ThreadAtBarrier) -> Run<State> {
        state.map_err(|wrong| {
            let detail = format!("{wrong}: shared memory at byte {}", at.offset);
            let ThreadAtBarrier { warp, lane, position, .. } = *at;
            Box::new(Stop::Fault { kind: FaultKind::Barrier, position, warp, lane, detail })
        })
    }
}

impl SuspendedBlock {
    /// Describes the mbarrier that the first of the waiting lanes has tested, if the register still holds its address.
    pub(crate) fn tested(&self, bound: &Bound<'_>, waiting: &Waiting) -> Option<String> {
        let address = bound.steps[waiting.position as usize].operand(1);
        let lane = waiting.mask.trailing_zeros() as usize % WARP_SIZE;
        let (_, offset) = rank_of(self.registers.value(address, waiting.warp, lane));
        let fits = offset.is_multiple_of(BYTES.into()) && offset + u64::from(BYTES) <= 4 * self.shared.len() as u64;
        let bits = fits.then(|| read(&self.shared, offset as usize, 8))?;
        Some(describe(offset, Some(State::in_memory(bits).ok()?)))
    }
}

/// Says what an mbarrier still waits for.
fn describe(offset: u64, state: Option<State>) -> String {
    let (arrivals, bytes) = state.map_or((0, 0), |state| (state.pending(), state.bytes()));
    let noun = if arrivals == 1 { "arrival" } else { "arrivals" };
    format!("the mbarrier at byte {offset} of shared memory still expects {arrivals} {noun} and {bytes} bytes")
}

/// Returns the state of an mbarrier after a thread has arrived.
fn arrive(state: State, arrival: Arrival, value: u32) -> Result<State, Wrong> {
    let count = if arrival.expects { 1 } else { value };
    let state = if arrival.expects { state.expecting(value.into())? } else { state };
    let state = if arrival.drops { state.without(count)? } else { state };
    let state = state.arrive(count)?;
    if arrival.no_complete && state.settle().1 { Err("an arrival with .noComplete ends the phase") } else { Ok(state) }
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Ends all waits for phases, as on hardware a time limit does, with the result that the phase is not complete. Returns
    /// whether there were any. The predicates of the lanes are false already.
    pub(super) fn time_out_phase_waits(&mut self) -> bool {
        let parts = self.parts(&|wait| wait == Wait::Phase);
        parts.iter().for_each(|part| self.wake(part));
        !parts.is_empty()
    }

    /// Ends all waits for phases when nothing else can run, and returns whether it ended any. If the state of the block,
    /// including all registers, is the same as last time, and the block has not accessed anything that others may change,
    /// then the phase never completes: deadlock.
    pub(super) fn time_out_unless_repeated(&mut self) -> bool {
        if self.parts(&|wait| wait == Wait::Phase).is_empty() {
            return false;
        }
        let state = Some(self.fingerprint());
        std::mem::replace(&mut self.last_timeout, state) != state && self.time_out_phase_waits()
    }

    /// Returns a hash of the state that determines the following steps: registers, memory of the block, positions of its
    /// threads, and the number of its external accesses.
    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.external_accesses.hash(&mut hasher);
        self.registers.narrow.iter().for_each(|row| row.0.hash(&mut hasher));
        self.registers.wide.iter().for_each(|row| row.0.hash(&mut hasher));
        self.registers.predicates.hash(&mut hasher);
        self.memories.shared.hash(&mut hasher);
        self.memories.local.hash(&mut hasher);
        self.copies.closed_groups().for_each(|groups| groups.hash(&mut hasher));
        for (warp, split) in self.splits() {
            (warp, split.position, split.mask).hash(&mut hasher);
        }
        hasher.finish()
    }
}
