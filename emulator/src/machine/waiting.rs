//! The splits of a block that wait.

use super::bind::Bound;
use super::block::BlockMachine;
use super::context_switch::SuspendedBlock;
use super::events::Observer;
use super::split::{Split, Wait, Warp};
use super::stop::{Reason, Stop, Waiting};
use crate::ground::lanes::{FULL, LANES};
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
    pub(super) fn parts(&self, waits: impl Fn(Wait) -> bool) -> Vec<Part> {
        let of_warp = |(warp, state): (usize, &Warp)| -> Vec<Part> {
            let here = state.each().filter(|(_, split)| waits(split.wait));
            here.map(|(index, split)| Part { warp, split: index, mask: split.mask, position: split.position }).collect()
        };
        self.warps.iter().enumerate().flat_map(of_warp).collect()
    }

    /// Returns the stop of a block in which no thread can run.
    pub(super) fn deadlock(&self) -> Box<Stop> {
        let mut polled = |position| self.bound.polled(position);
        let waits = waits(self.bound, &self.warps, &mut polled).filter(|waiting| !waiting.runs).collect();
        let phase = self.splits().find(|(_, split)| split.wait == Wait::Phase);
        let mbarrier = phase.map(|(warp, split)| self.phase_of(warp, split));
        Box::new(Stop::Deadlock { waits, mbarrier })
    }
}

impl SuspendedBlock {
    /// Returns the waiting threads of a spinning block, those in loops first. `polled` is [`Bound::polled`] or a cache of
    /// it.
    pub(crate) fn waits(&self, bound: &Bound<'_>, polled: &mut dyn FnMut(u32) -> Option<u32>) -> Vec<Waiting> {
        let mut waits: Vec<Waiting> = waits(bound, &self.warps, polled).collect();
        waits.sort_by_key(|waiting| !waiting.runs);
        waits
    }
}

/// Returns the waiting lanes of a block, except those that only wait to reconverge.
fn waits<'a>(
    bound: &'a Bound<'_>,
    warps: &'a [Warp],
    polled: &'a mut dyn FnMut(u32) -> Option<u32>,
) -> impl Iterator<Item = Waiting> + 'a {
    let threads = bound.launch.block.volume() as usize;
    let splits = warps.iter().enumerate().flat_map(|(warp, state)| state.each().map(move |(_, split)| (warp, split)));
    splits.filter_map(move |(warp, split)| {
        let at = split.position;
        let (runs, position, reason) = match split.wait {
            Wait::Barrier { number, .. } => (false, at, Reason::Barrier { number }),
            Wait::Lanes { members } => (false, at, Reason::Lanes { missing: members & !split.mask }),
            Wait::Phase => (false, at, Reason::Phase),
            Wait::Warpgroup => (false, at, Reason::Warpgroup),
            Wait::Reconvergence(_) => return None,
            Wait::Ready | Wait::Yielded { .. } => match polled(at) {
                Some(position) => match bound.steps[position as usize].action {
                    Action::Mbarrier(_) => (true, position, Reason::Phase),
                    _ => (true, position, Reason::Memory),
                },
                None => (true, at, Reason::Loop),
            },
        };
        let all_lanes = FULL >> (LANES - (threads - warp * LANES).min(LANES));
        Some(Waiting { warp, mask: split.mask, whole_warp: split.mask == all_lanes, position, runs, reason })
    })
}
