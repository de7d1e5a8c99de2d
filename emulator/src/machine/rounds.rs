//! The end of a round, in which every thread that can run had a turn: whether the block waits for another one.

use super::block::BlockMachine;
use super::events::Observer;
use super::patience::Probe;
use super::split::Warp;
use super::stop::{Leave, Run};

/// Short turns until a block is as it was before: those of a loop over that many basic blocks, or a multiple of them.
const PROBE_TURNS: u32 = 32;

/// Bytes of local memory of a block, from which on it is not compared: what has more is never seen to repeat.
const MOST_LOCAL_BYTES: usize = 4 << 20;

impl<O: Observer> BlockMachine<'_, O> {
    /// Every thread that can run had a turn, some of them in loops that poll: whether other blocks have theirs now.
    pub(super) fn end_round(&mut self, polls: bool) -> Run<Option<Leave>> {
        if self.memories.changed || self.clock.is_under_way() {
            self.pass()?;
        }
        let changes = self.clock.changes();
        let quietly = self.patience.count_round();
        let leave = match self.patience.probe.filter(|_| quietly) {
            Some(probe) => self.go_on_probing(probe),
            None if !quietly => {
                (self.patience.probe, self.patience.left.lanes_part) = (None, false);
                None
            }
            None if polls && self.patience.waits_seen && self.patience.left.changes != Some(changes) => {
                Some(Leave::Yields)
            }
            // A block that runs long is not compared often.
            None if self.patience.quiet.is_power_of_two() => self.begin_probe(),
            None => None,
        };
        let leave = leave.or_else(|| (polls && self.patience.is_over()).then_some(Leave::Yields));
        if leave.is_some() {
            let nothing_happened = self.patience.left.changes.replace(changes) == Some(changes);
            self.patience.left.lanes_part |= leave == Some(Leave::Yields) && nothing_happened;
        }
        self.clock.set_pace(self.patience.pace());
        Ok(leave)
    }

    /// Notes how the block is now.
    fn begin_probe(&mut self) -> Option<Leave> {
        if 4 * self.memories.local.len() > MOST_LOCAL_BYTES {
            return None;
        }
        let before = &mut self.patience.before;
        before.warps.clone_from(&self.warps);
        before.registers.narrow.clone_from(&self.registers.narrow);
        before.registers.wide.clone_from(&self.registers.wide);
        before.registers.predicates.clone_from(&self.registers.predicates);
        before.local.clone_from(&self.memories.local);
        before.arrivals = self.arrivals;
        self.patience.probe = Some(Probe { turns_left: PROBE_TURNS, since: self.clock.changes() });
        None
    }

    /// Compares the block with how it was.
    fn go_on_probing(&mut self, probe: Probe) -> Option<Leave> {
        let before = &self.patience.before;
        let same = before.warps == self.warps
            && before.arrivals == self.arrivals
            && before.registers == self.registers
            && before.local == self.memories.local;
        let turns_left = probe.turns_left - 1;
        self.patience.probe = (!same && turns_left > 0).then_some(Probe { turns_left, ..probe });
        if !same || (self.patience.left.lanes_part && self.warps.iter_mut().any(Warp::go_on_apart)) {
            return None;
        }
        self.patience.waits_seen = true;
        Some(Leave::Repeats { since: probe.since })
    }
}
