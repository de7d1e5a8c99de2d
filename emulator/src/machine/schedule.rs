//! Which warps run next, and for how long.

use super::block::BlockMachine;
use super::events::Observer;
use super::split::{Wait, Warp};
use super::stop::{Run, Stop};
use crate::ground::lanes::FULL;
use crate::lower::step::NOWHERE;

impl<O: Observer> BlockMachine<'_, O> {
    /// Finds the warps that run next: those at the earliest step. False when all threads have exited.
    pub(super) fn choose_group(&mut self) -> Run<bool> {
        loop {
            let ready = self.warps.iter().flat_map(Warp::each).filter(|(_, split)| split.wait == Wait::Ready);
            if let Some(position) = ready.map(|(_, split)| split.position).min() {
                self.form_group(position);
                return Ok(true);
            }
            if self.warps.iter().all(|warp| warp.alive == 0) {
                return Ok(false);
            }
            if !self.release_waiting()? && !self.wake_yielded() && !self.warps.iter_mut().any(Warp::go_on_apart) {
                return Err(self.deadlock());
            }
        }
    }

    /// Gives the next turn to the splits that had one; false if there are none. Those of them that may wait for lanes of
    /// their own warp are no longer waited for, as threads have it since Volta.
    fn wake_yielded(&mut self) -> bool {
        let mut woken = false;
        for warp in &mut self.warps {
            for index in 0..warp.splits.len() {
                let Some(split) = &mut warp.splits[index] else { continue };
                let Wait::Yielded { polls } = split.wait else { continue };
                split.wait = Wait::Ready;
                woken = true;
                if polls && warp.go_ahead_of(index) {
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

    /// Lets others go first, after a turn that ends with basic block `block`.
    pub(super) fn end_turn(&mut self, block: u32) -> Run<()> {
        if let Err(stop) = self.clock.pass() {
            return Err(match stop {
                Stop::Fault { kind, detail, .. } => self.fault(kind, 0, self.lanes.masks[0], detail),
                Stop::Elsewhere => Box::new(stop),
            });
        }
        self.leave_at(self.group.position);
        for &(warp, split) in &self.group.members {
            if let Some(split) = &mut self.warps[warp].splits[split] {
                split.wait = Wait::Yielded { polls: self.bound.program.blocks[block as usize].polls };
            }
        }
        Ok(())
    }
}
