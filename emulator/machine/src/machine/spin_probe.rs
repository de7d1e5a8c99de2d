//! The end of a round, in which every runnable thread had a time slice, and the probe for a spinning block.

use super::block::BlockMachine;
use super::events::Observer;
use super::spin_detection::Probe;
use super::split::Warp;
use super::stop::{Leave, Run};

/// The number of short time slices in which a block must repeat its state. A loop of N basic blocks is at the same basic
/// block again after at most N slices.
const PROBE_SLICES: u32 = 32;

/// The local memory of a block above which the block is never probed, because the comparison would be too slow.
const MAX_LOCAL_BYTES: usize = 4 << 20;

impl<O: Observer> BlockMachine<'_, O> {
    /// Ends a round and returns how the block leaves its worker, or `None` if it continues. `polls`: some threads are in
    /// polling loops.
    pub(super) fn end_round(&mut self, polls: bool) -> Run<Option<Leave>> {
        if self.memories.changed || self.clock.has_progress() {
            self.report_progress()?;
        }
        let changes = self.clock.changes();
        let unchanged = self.spin.count_round();
        let leave = match self.spin.probe.filter(|_| unchanged) {
            Some(probe) => self.continue_probe(probe),
            None if !unchanged => {
                (self.spin.probe, self.spin.history.skip_reconvergence) = (None, false);
                None
            }
            None if polls && self.spin.spin_seen && self.spin.history.changes != Some(changes) => Some(Leave::Yields),
            // A block that runs for long is rarely compared.
            None if self.spin.unchanged_rounds.is_power_of_two() => self.begin_probe(),
            None => None,
        };
        let leave = leave.or_else(|| (polls && self.spin.should_yield()).then_some(Leave::Yields));
        if leave.is_some() {
            let no_progress = self.spin.history.changes.replace(changes) == Some(changes);
            self.spin.history.skip_reconvergence |= leave == Some(Leave::Yields) && no_progress;
        }
        self.clock.set_slice_length(self.spin.slice_length());
        Ok(leave)
    }

    /// Saves the state of the block for later comparison.
    fn begin_probe(&mut self) -> Option<Leave> {
        if 4 * self.memories.local.len() > MAX_LOCAL_BYTES {
            return None;
        }
        let before = &mut self.spin.before;
        before.warps.clone_from(&self.warps);
        before.registers.narrow.clone_from(&self.registers.narrow);
        before.registers.wide.clone_from(&self.registers.wide);
        before.registers.predicates.clone_from(&self.registers.predicates);
        before.local.clone_from(&self.memories.local);
        before.arrivals = self.arrivals;
        self.spin.probe = Some(Probe { slices_left: PROBE_SLICES, since: self.clock.changes() });
        None
    }

    /// Compares the block with its saved state.
    fn continue_probe(&mut self, probe: Probe) -> Option<Leave> {
        let before = &self.spin.before;
        let same = before.warps == self.warps
            && before.arrivals == self.arrivals
            && before.registers == self.registers
            && before.local == self.memories.local;
        let slices_left = probe.slices_left - 1;
        self.spin.probe = (!same && slices_left > 0).then_some(Probe { slices_left, ..probe });
        if !same || (self.spin.history.skip_reconvergence && self.warps.iter_mut().any(Warp::skip_reconvergence)) {
            return None;
        }
        self.spin.spin_seen = true;
        Some(Leave::Spins { since: probe.since })
    }
}
