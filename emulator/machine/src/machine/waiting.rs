//! The splits of a block that wait.

use super::bind::Bound;
use super::block::BlockMachine;
use super::events::Observer;
use super::register_pool;
use super::split::{Split, Wait, Warp};
use super::stop::{Reason, Stop, Waiting};
use super::suspended::SuspendedBlock;
use crate::ground::lanes::{FULL, WARP_SIZE};
use crate::lower::step::Action;

/// A split that takes part in an operation: its warp, number in the warp, lanes, and position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) warp: usize,
    pub(super) split: usize,
    pub(super) mask: u32,
    pub(super) position: u32,
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Returns all splits, each with the number of its warp.
    pub(super) fn splits(&self) -> impl Iterator<Item = (usize, &Split)> {
        self.warps.iter().enumerate().flat_map(|(number, warp)| warp.each().map(move |(_, split)| (number, split)))
    }

    /// Makes a waiting split runnable, at the step after the one at which it waited.
    pub(super) fn wake(&mut self, part: &Part) {
        if let Some(split) = &mut self.warps[part.warp].splits[part.split] {
            split.wait = Wait::Ready;
            split.position = part.position + 1;
        }
    }

    /// Returns the splits whose wait satisfies `waits`.
    pub(super) fn parts(&self, waits: &dyn Fn(Wait) -> bool) -> Vec<Part> {
        parts(&self.warps, waits)
    }

    /// Returns the stop of a block in which no thread can run.
    pub(super) fn deadlock(&self) -> Box<Stop> {
        let mut polled = |position| self.bound.polled_step(position);
        let mut waits = waits(self.bound, &self.warps, &mut polled);
        waits.retain(|waiting| !waiting.runs);
        let phase = self.splits().find(|(_, split)| split.wait == Wait::Phase);
        let mbarrier = phase.map(|(warp, split)| self.phase_of(warp, split));
        Box::new(Stop::Deadlock { waits, mbarrier })
    }
}

impl SuspendedBlock {
    /// Returns the waiting threads of a spinning block, those in loops first. `polled` is [`Bound::polled`] or a cache of
    /// it.
    pub(crate) fn waits(&self, bound: &Bound<'_>, polled: &mut dyn FnMut(u32) -> Option<u32>) -> Vec<Waiting> {
        let mut waits = waits(bound, &self.warps, polled);
        waits.sort_by_key(|waiting| !waiting.runs);
        waits
    }
}

/// Returns the splits whose wait satisfies `waits`. Not generic, so that it is compiled once and not for each observer.
fn parts(warps: &[Warp], waits: &dyn Fn(Wait) -> bool) -> Vec<Part> {
    let mut parts = Vec::new();
    for (warp, state) in warps.iter().enumerate() {
        for (index, split) in state.each().filter(|(_, split)| waits(split.wait)) {
            parts.push(Part { warp, split: index, mask: split.mask, position: split.position });
        }
    }
    parts
}

/// Returns the waiting lanes of a block, except those that only wait to reconverge.
fn waits(bound: &Bound<'_>, warps: &[Warp], polled: &mut dyn FnMut(u32) -> Option<u32>) -> Vec<Waiting> {
    let threads = bound.launch.block.volume() as usize;
    let splits = warps.iter().enumerate().flat_map(|(warp, state)| state.each().map(move |(_, split)| (warp, split)));
    let waiting = |(warp, split): (usize, &Split)| {
        let at = split.position;
        let (runs, position, reason) = match split.wait {
            Wait::Barrier { number, .. } => (false, at, Reason::Barrier { number }),
            Wait::Lanes { members, .. } => (false, at, Reason::Lanes { missing: members & !split.mask }),
            Wait::Phase => (false, at, Reason::Phase),
            Wait::Warpgroup => (false, at, Reason::Warpgroup),
            Wait::Cluster => (false, at, Reason::Cluster),
            Wait::Registers => (false, at, register_pool::reason(bound, warps, warp, at)),
            Wait::Reconvergence(_) => return None,
            Wait::Ready | Wait::Yielded { .. } => match polled(at) {
                Some(position) => match bound.steps[position as usize].action {
                    Action::Mbarrier(_) => (true, position, Reason::Phase),
                    _ => (true, position, Reason::Memory),
                },
                None => (true, at, Reason::Loop),
            },
        };
        let all_lanes = FULL >> (WARP_SIZE - (threads - warp * WARP_SIZE).min(WARP_SIZE));
        Some(Waiting { warp, mask: split.mask, whole_warp: split.mask == all_lanes, position, runs, reason })
    };
    splits.filter_map(waiting).collect()
}
