//! Which warps run next, and for how long.

use super::block::BlockMachine;
use super::events::Observer;
use super::split::{Wait, Warp};
use super::stop::{Run, Stop};
use crate::ground::lanes::FULL;
use crate::lower::step::NOWHERE;

/// What a block does next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    /// A group runs.
    Group,
    /// All that can run had a turn, and are given the next one. `polls`: some are in a loop that may wait for others.
    NextRound { polls: bool },
    /// Nothing: all threads have exited.
    Ended,
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Finds the warps that run next: those at the earliest step.
    pub(super) fn choose_group(&mut self) -> Run<Choice> {
        loop {
            let ready = self.warps.iter().flat_map(Warp::each).filter(|(_, split)| split.wait == Wait::Ready);
            if let Some(position) = ready.map(|(_, split)| split.position).min() {
                self.form_group(position);
                return Ok(Choice::Group);
            }
            if self.warps.iter().all(|warp| warp.alive == 0) {
                return Ok(Choice::Ended);
            }
            if self.release_waiting()? {
                continue;
            }
            if let Some(polls) = self.wake_yielded() {
                self.end_waits_for_phases();
                return Ok(Choice::NextRound { polls });
            }
            if !self.warps.iter_mut().any(Warp::go_on_apart) && !self.let_time_pass() {
                return Err(self.deadlock());
            }
        }
    }

    /// Gives the next turn to the splits that had one, and tells whether some of them poll; `None` if there are none.
    /// Those of them that may wait for lanes of their own warp are no longer waited for, as threads have it since Volta,
    /// once no other block has anything to do, or lanes of this one were seen to wait for each other.
    fn wake_yielded(&mut self) -> Option<bool> {
        let mut woken = None;
        let lanes_part = self.clock.lanes_wait() || self.patience.left.lanes_part;
        for warp in &mut self.warps {
            for index in 0..warp.splits.len() {
                let Some(split) = &mut warp.splits[index] else { continue };
                let Wait::Yielded { polls } = split.wait else { continue };
                split.wait = Wait::Ready;
                woken = Some(polls || woken == Some(true));
                if polls && lanes_part && warp.go_ahead_of(index) {
                    self.patience.notice(true);
                    self.clock.shorten_turns();
                }
            }
        }
        woken
    }

    fn form_group(&mut self, position: u32) {
        self.group.position = position;
        self.group.members.clear();
        self.group.meets = false;
        self.lanes.clear();
        for (number, warp) in self.warps.iter().enumerate() {
            let mut at = warp.each().filter(|(_, split)| split.wait == Wait::Ready && split.position == position);
            if let Some((index, split)) = at.next() {
                self.group.members.push((number, index));
                self.group.meets |= split.reconverge != NOWHERE;
                self.lanes.push(number, split.mask);
                self.lanes.full &= split.mask | !warp.alive == FULL;
            }
        }
    }

    /// Writes the group's position back to its splits.
    pub(super) fn leave_at(&mut self, position: u32) {
        for &(warp, split) in &self.group.members {
            if let Some(split) = &mut self.warps[warp].splits[split] {
                split.position = position;
            }
        }
    }

    /// Tells the launch what was done since the last time.
    pub(super) fn pass(&mut self) -> Run<()> {
        let changed = std::mem::take(&mut self.memories.changed);
        self.patience.notice(changed);
        self.clock.pass(changed).map_err(Box::new)
    }

    /// Lets others go first, after a turn that ends with basic block `block`.
    pub(super) fn end_turn(&mut self, block: u32) -> Run<()> {
        self.pass().map_err(|stop| match *stop {
            Stop::Fault { kind, detail, .. } => self.fault(kind, 0, self.lanes.masks[0], detail),
            Stop::Elsewhere => stop,
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
