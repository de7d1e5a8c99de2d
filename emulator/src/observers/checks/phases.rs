//! What barriers in shared memory order: who arrives hands on what it did and what it knows of others, and who sees the
//! phase end knows it from then on.
//!
//! These are vector clocks, one for each thread of the block, and one for the copies that no thread waits for. Kernels
//! without such barriers have none.

use super::knowledge::{Known, joined};
use crate::ground::lanes::{LANES, active};
use crate::machine::events::Arriving;
use std::collections::HashMap;

/// Up to when somebody knows what each thread did; the copies come last.
type Clock = Vec<u32>;

/// What arrived at a barrier: so far, and until the end of its last phase.
#[derive(Debug, Default)]
struct Barrier {
    arrived: Clock,
    over: Clock,
    /// The same of other blocks.
    arrived_of_others: OfOthers,
    over_of_others: OfOthers,
}

/// What is known of other blocks, and what is handed on to them.
type OfOthers = (Known, Known);

/// The clocks of a block.
#[derive(Debug, Default)]
pub(super) struct Phases {
    /// Counts what orders anything; 0 before the first.
    now: u32,
    /// Everybody knows what was before.
    known_to_all: u32,
    threads: Vec<Clock>,
    barriers: HashMap<u64, Barrier>,
}

impl Phases {
    pub(super) fn now(&self) -> u32 {
        self.now
    }

    fn begin(&mut self, warps: usize) {
        if self.threads.is_empty() {
            let threads = warps * LANES;
            self.threads = vec![vec![0; threads + 1]; threads];
            self.now = 1;
        }
    }

    /// Somebody arrives at a barrier, and may end its phase.
    pub(super) fn arrive(&mut self, warps: usize, barrier: u64, by: Arriving, knows: &OfOthers, ends: bool) {
        self.begin(warps);
        let actors = warps * LANES + 1;
        let Self { now, threads, barriers, .. } = self;
        let clock = || vec![0; actors];
        let barrier = barriers.entry(barrier).or_insert_with(|| Barrier {
            arrived: clock(),
            over: clock(),
            ..Barrier::default()
        });
        let of_others = &mut barrier.arrived_of_others;
        *of_others = (joined(&of_others.0, &knows.0), joined(&of_others.1, &knows.1));
        match by {
            Arriving::Nobody => {}
            Arriving::Copies => barrier.arrived[actors - 1] = *now + 1,
            Arriving::Thread(warp, lane) => {
                let thread = warp * LANES + lane;
                join(&mut barrier.arrived, &threads[thread]);
                barrier.arrived[thread] = *now + 1;
            }
        }
        if ends {
            barrier.over.clone_from(&barrier.arrived);
            barrier.over_of_others.clone_from(&barrier.arrived_of_others);
        }
        // What follows is no part of it.
        *now += 1;
    }

    /// A thread sees that a phase is over; what it learns of other blocks comes back.
    pub(super) fn pass(&mut self, barrier: u64, warp: usize, lane: usize) -> OfOthers {
        let thread = self.threads.get_mut(warp * LANES + lane);
        let (Some(thread), Some(barrier)) = (thread, self.barriers.get(&barrier)) else { return (None, None) };
        join(thread, &barrier.over);
        barrier.over_of_others.clone()
    }

    /// The lanes `mask` of a warp wait for each other.
    pub(super) fn synchronise(&mut self, warp: usize, mask: u32) {
        if self.threads.is_empty() {
            return;
        }
        self.now += 1;
        let members: Vec<usize> = active(mask).map(|lane| warp * LANES + lane).collect();
        let mut together = vec![0; self.threads.len() + 1];
        members.iter().for_each(|&thread| join(&mut together, &self.threads[thread]));
        members.iter().for_each(|&thread| together[thread] = self.now);
        members.iter().for_each(|&thread| self.threads[thread].clone_from(&together));
    }

    /// All threads of the block wait for each other.
    pub(super) fn barrier(&mut self) {
        self.now += 1;
        self.known_to_all = self.now;
    }

    /// Whether each of `later`, lanes of a warp, knows what each of `earlier` did at a moment; the copies where it is none.
    pub(super) fn know(&self, later: (usize, u32), earlier: Option<(usize, u32)>, moment: u32) -> bool {
        if self.threads.is_empty() || moment < self.known_to_all {
            return !self.threads.is_empty();
        }
        let of = |(warp, mask): (usize, u32)| active(mask).map(move |lane| warp * LANES + lane);
        let knows = |thread: usize, actor: usize| thread == actor || self.threads[thread][actor] > moment;
        of(later).all(|thread| match earlier {
            Some(earlier) => of(earlier).all(|actor| knows(thread, actor)),
            None => knows(thread, self.threads.len()),
        })
    }
}

/// Learns what another clock knows.
fn join(clock: &mut Clock, other: &Clock) {
    clock.iter_mut().zip(other).for_each(|(known, &other)| *known = (*known).max(other));
}
