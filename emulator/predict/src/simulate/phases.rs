//! Barriers that count arrivals by phases: mbarriers, and barriers for part of a block.

use super::stalls::Reason;
use emulator::{BlockStream, PhaseStep, StreamedPhase};
use std::collections::HashMap;

/// A phase of a barrier of a resident block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    block: usize,
    barrier: u32,
    phase: u32,
}

/// A phase that is not complete, or when it was.
#[derive(Clone, Debug)]
struct Phase {
    /// The arrivals that are missing.
    missing: u32,
    /// The cycle of the last arrival, and the reason of those who wait for it.
    at: (u64, Reason),
    /// The warps that wait for it.
    waiting: Vec<usize>,
}

/// The phases of the resident blocks.
#[derive(Default)]
pub(super) struct Phases {
    phases: HashMap<Key, Phase>,
}

impl Default for Phase {
    fn default() -> Self {
        Self { missing: 0, at: (0, Reason::Barrier), waiting: Vec::new() }
    }
}

impl Key {
    pub(super) fn new(block: usize, phase: &StreamedPhase) -> Self {
        Self { block, barrier: phase.barrier, phase: phase.phase }
    }
}

impl Phases {
    /// Expects the arrivals of a block. Those that its streams do not have because they were cut do not count.
    pub(super) fn expect(&mut self, block: usize, stream: &BlockStream) {
        for phase in stream.warps.iter().flatten().filter_map(|event| event.phase()) {
            self.phases.entry(Key::new(block, phase)).or_default().missing += arrivals(phase.step);
        }
    }

    /// Counts a step's arrivals, which are there in a cycle. Returns the warps that waited if the phase is complete, and when it is.
    pub(super) fn arrive(&mut self, key: Key, step: PhaseStep, at: u64) -> (Vec<usize>, (u64, Reason)) {
        let reason = if step == PhaseStep::Copy { Reason::Memory } else { Reason::Barrier };
        let phase = self.phases.entry(key).or_default();
        phase.missing = phase.missing.saturating_sub(arrivals(step));
        phase.at = if at > phase.at.0 { (at, reason) } else { phase.at };
        let waiting = if phase.missing == 0 { std::mem::take(&mut phase.waiting) } else { Vec::new() };
        (waiting, phase.at)
    }

    /// Returns when a phase is complete; if an arrival is missing, lets the warp wait.
    pub(super) fn wait(&mut self, key: Key, warp: usize) -> Option<(u64, Reason)> {
        let phase = self.phases.entry(key).or_default();
        if phase.missing == 0 {
            return Some(phase.at);
        }
        phase.waiting.push(warp);
        None
    }

    /// Forgets the phases of a block that has ended.
    pub(super) fn end(&mut self, block: usize) {
        self.phases.retain(|key, _| key.block != block);
    }
}

fn arrivals(step: PhaseStep) -> u32 {
    match step {
        PhaseStep::Arrive { count } => count,
        PhaseStep::Copy => 1,
        PhaseStep::Wait => 0,
    }
}
