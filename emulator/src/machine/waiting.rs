//! The splits that wait for others.

use super::bind::Bound;
use super::block::BlockMachine;
use super::events::Observer;
use super::split::{Split, Wait, Warp};
use super::stop::Stop;
use super::turns::Resting;
use crate::ground::fault::FaultKind;
use crate::lower::step::Action;

/// A split that takes part: its warp, number, lanes, and the step where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) warp: usize,
    pub(super) split: usize,
    pub(super) mask: u32,
    pub(super) position: u32,
}

impl<O: Observer> BlockMachine<'_, O> {
    /// All splits, with their warps.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (usize, &Split)> {
        self.warps.iter().enumerate().flat_map(|(number, warp)| warp.each().map(move |(_, split)| (number, split)))
    }

    /// Sends a split on that has waited.
    pub(super) fn wake(&mut self, part: &Part) {
        if let Some(split) = &mut self.warps[part.warp].splits[part.split] {
            split.wait = Wait::Ready;
            split.position = part.position + 1;
        }
    }

    /// The splits that wait for something.
    pub(super) fn parts(&self, waits: impl Fn(Wait) -> bool) -> Vec<Part> {
        let of_warp = |(warp, state): (usize, &Warp)| -> Vec<Part> {
            let here = state.each().filter(|(_, split)| waits(split.wait));
            here.map(|(index, split)| Part { warp, split: index, mask: split.mask, position: split.position }).collect()
        };
        self.warps.iter().enumerate().flat_map(of_warp).collect()
    }

    /// Nobody can run: says who waits where.
    pub(super) fn deadlock(&self) -> Box<Stop> {
        let waits: Vec<Waiting> = waits(self.bound, &self.warps).filter(|waiting| !waiting.runs).collect();
        let place = |waiting: &Waiting| format!("PTX line {}", self.bound.line(waiting.position));
        let told: Vec<String> = waits.iter().take(4).map(|waiting| waiting.text(&place(waiting))).collect();
        let more = if waits.len() > 4 { format!("; and {} more", waits.len() - 4) } else { String::new() };
        let phase = self.waiting().find(|(_, split)| split.wait == Wait::Phase);
        let phase = phase.map_or(String::new(), |(warp, split)| format!("; {}", self.phase_of(warp, split)));
        let detail = format!("threads wait for others that never come: {}{more}{phase}", told.join("; "));
        let first = waits.first().map(|waiting| (waiting.warp, waiting.mask, waiting.position));
        let (warp, mask, position) = first.unwrap_or((0, 1, 0));
        let lane = mask.trailing_zeros() as usize;
        Box::new(Stop::Fault { kind: FaultKind::Deadlock, position, warp, lane, detail })
    }
}

/// Lanes of a warp that do not go on.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) warp: usize,
    pub(crate) mask: u32,
    /// The step that they wait at, or look for a change at.
    pub(crate) position: u32,
    /// Whether they run, in a loop.
    pub(crate) runs: bool,
    reason: Reason,
}

/// What lanes wait for.
#[derive(Debug)]
enum Reason {
    Barrier {
        number: u32,
    },
    Lanes {
        missing: u32,
    },
    /// The end of a phase of a barrier in shared memory.
    Phase,
    /// What they read in a loop.
    Memory,
    /// Nothing: they run round a loop.
    Nothing,
}

impl Waiting {
    /// Who they are and what they wait for at a place.
    pub(crate) fn text(&self, place: &str) -> String {
        let (threads, wait, run) = match self.mask.count_ones() {
            1 => ("1 thread".to_owned(), "waits", "runs"),
            count => (format!("{count} threads"), "wait", "run"),
        };
        let who = format!("{threads} of warp {}", self.warp);
        match self.reason {
            Reason::Barrier { number } => format!("{who} {wait} at barrier {number} ({place})"),
            Reason::Lanes { missing } => format!("{who} {wait} at {place} for lanes {missing:#010x}"),
            Reason::Phase => format!("{who} {wait} at {place} for the end of a phase"),
            Reason::Memory => format!("{who} {wait} at {place} for another value in memory"),
            Reason::Nothing => format!("{who} {run} round a loop at {place}"),
        }
    }
}

impl Resting {
    /// Who does not go on, of a block that repeats itself: first the threads that look for a change.
    pub(crate) fn waits(&self, bound: &Bound<'_>) -> Vec<Waiting> {
        let mut waits: Vec<Waiting> = waits(bound, &self.warps).collect();
        waits.sort_by_key(|waiting| !waiting.runs);
        waits
    }
}

/// Who waits, lanes that only wait to meet others left out.
fn waits<'a>(bound: &'a Bound<'_>, warps: &'a [Warp]) -> impl Iterator<Item = Waiting> + 'a {
    let splits = warps.iter().enumerate().flat_map(|(warp, state)| state.each().map(move |(_, split)| (warp, split)));
    splits.filter_map(|(warp, split)| {
        let at = split.position;
        let (runs, position, reason) = match split.wait {
            Wait::Barrier { number, .. } => (false, at, Reason::Barrier { number }),
            Wait::Lanes { members } => (false, at, Reason::Lanes { missing: members & !split.mask }),
            Wait::Phase => (false, at, Reason::Phase),
            Wait::Parts(_) => return None,
            Wait::Ready | Wait::Yielded { .. } => match bound.polled(at) {
                Some(position) => match bound.steps[position as usize].action {
                    Action::Mbarrier(_) => (true, position, Reason::Phase),
                    _ => (true, position, Reason::Memory),
                },
                None => (true, at, Reason::Nothing),
            },
        };
        Some(Waiting { warp, mask: split.mask, position, runs, reason })
    })
}
