//! The scheduling of the warps of a block.

use super::block::BlockMachine;
use super::events::Observer;
use super::split::{Wait, Warp};
use super::stop::{Run, Stop};
use crate::ground::lanes::FULL;
use crate::lower::step::NOWHERE;

/// The next action of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    /// It runs a group.
    Group,
    /// It begins the next round, because every runnable split has had its time slice. `polls`: some are in a loop that may
    /// wait for other threads.
    NextRound { polls: bool },
    /// It waits for other blocks of the cluster.
    WaitsForCluster,
    /// It ends, because all threads have exited.
    Ended,
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Chooses the warps that run next: those at the earliest step.
    pub(super) fn choose_group(&mut self) -> Run<Choice> {
        loop {
            let [position, joins_at] = earliest_ready(&self.warps);
            if position != NOWHERE {
                self.form_group(position);
                self.group.joins_at = joins_at;
                return Ok(Choice::Group);
            }
            if self.warps.iter().all(|warp| warp.alive == 0) {
                return Ok(Choice::Ended);
            }
            if self.release_waiting()? {
                continue;
            }
            if let Some(polls) = self.wake_yielded() {
                self.time_out_phase_waits();
                return Ok(Choice::NextRound { polls });
            }
            // Other blocks of the cluster run before lanes continue without the others of their warp.
            let waits_for_peers = self.cluster.has_peers();
            if waits_for_peers && !self.cluster.is_quiet() {
                return Ok(Choice::WaitsForCluster);
            }
            if self.warps.iter_mut().any(Warp::skip_reconvergence) {
                continue;
            }
            if !self.time_out_unless_repeated() {
                return if waits_for_peers { Ok(Choice::WaitsForCluster) } else { Err(self.deadlock()) };
            }
        }
    }

    /// Makes the splits whose time slice is over runnable again. Returns whether some of them poll, or `None` if there are
    /// no such splits. A polling split may wait for lanes of its own warp. With independent thread scheduling (Volta and
    /// later) these lanes make progress, so they stop waiting to reconverge with it, once no other block can make progress or
    /// lanes of this block have waited for each other before.
    fn wake_yielded(&mut self) -> Option<bool> {
        let mut woken = None;
        let skip_reconvergence = self.clock.intra_warp_spin() || self.spin.history.skip_reconvergence;
        for warp in &mut self.warps {
            for index in 0..warp.splits.len() {
                let Some(split) = &mut warp.splits[index] else { continue };
                let Wait::Yielded { polls } = split.wait else { continue };
                split.wait = Wait::Ready;
                woken = Some(polls || woken == Some(true));
                if polls && skip_reconvergence && warp.run_ahead_of(index) {
                    self.spin.note_change(true);
                    self.clock.shorten_slices();
                }
            }
        }
        woken
    }

    fn form_group(&mut self, position: u32) {
        let group = &mut self.group;
        group.members.clear();
        group.is_complete = true;
        for (number, warp) in self.warps.iter().enumerate() {
            let mut at = warp.each().filter(|(_, split)| split.wait == Wait::Ready && split.position == position);
            if let Some((index, _)) = at.next() {
                group.members.push((number, index));
                group.is_complete &= at.next().is_none();
            }
        }
        self.begin_group(position);
    }

    /// Starts the members of the group at a step.
    pub(super) fn begin_group(&mut self, position: u32) {
        let Self { warps, group, lanes, .. } = self;
        let [mut earliest, mut latest] = [NOWHERE, 0];
        lanes.clear();
        for &(number, index) in &group.members {
            let warp = &warps[number];
            let Some(split) = &warp.splits[index] else { continue };
            if split.reconverge != NOWHERE {
                (earliest, latest) = (earliest.min(split.reconverge), latest.max(split.reconverge));
            }
            lanes.push(number, split.mask);
            lanes.full &= split.mask | !warp.alive == FULL;
        }
        (group.position, group.reconverge) = (position, [earliest, latest]);
    }

    /// Writes the group's position back to its splits.
    pub(super) fn leave_at(&mut self, position: u32) {
        for &(warp, split) in &self.group.members {
            if let Some(split) = &mut self.warps[warp].splits[split] {
                split.position = position;
            }
        }
    }

    /// Reports the progress since the last report to the launch.
    pub(super) fn report_progress(&mut self) -> Run<()> {
        let changed = std::mem::take(&mut self.memories.changed);
        self.spin.note_change(changed);
        self.clock.report_progress(changed).map_err(Box::new)
    }

    /// Ends the time slice of the group, which has just entered basic block `block`.
    pub(super) fn end_time_slice(&mut self, block: u32) -> Run<()> {
        self.report_progress().map_err(|stop| match *stop {
            Stop::Fault { kind, detail, .. } => self.fault(kind, 0, self.lanes.masks[0], detail),
            Stop::Deadlock { .. } | Stop::Canceled => stop,
        })?;
        self.leave_at(self.group.position);
        for &(warp, split) in &self.group.members {
            if let Some(split) = &mut self.warps[warp].splits[split] {
                split.wait = Wait::Yielded { polls: self.bound.program.blocks[block as usize].polls };
            }
        }
        Ok(())
    }
}

/// Returns the two earliest steps at which splits can run, [`NOWHERE`] if there are none. Not a method, which would be compiled
/// again for each observer.
fn earliest_ready(warps: &[Warp]) -> [u32; 2] {
    let [mut first, mut second] = [NOWHERE; 2];
    for (_, split) in warps.iter().flat_map(Warp::each).filter(|(_, split)| split.wait == Wait::Ready) {
        if split.position < first {
            (first, second) = (split.position, first);
        } else if split.position > first {
            second = second.min(split.position);
        }
    }
    [first, second]
}
