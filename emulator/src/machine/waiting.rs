//! The splits that wait for others.

use super::block::BlockMachine;
use super::events::Observer;
use super::split::{Split, Wait, Warp};
use super::stop::Stop;
use crate::ground::fault::FaultKind;

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
