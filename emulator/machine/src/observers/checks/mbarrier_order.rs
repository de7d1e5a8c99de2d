//! The order of accesses by mbarriers. A thread releases its accesses, and those ordered before them, when it arrives; a
//! thread that observes the end of the phase acquires them.
//!
//! The order is represented by vector clocks, one for each thread of the block, with an additional entry for copies without
//! a waiting thread. Kernels without mbarriers have no clocks.

use super::vector_clock::{SharedClock, join_clocks};
use crate::ground::lanes::{WARP_SIZE, active};
use crate::machine::events::Arriving;
use std::collections::HashMap;

/// The time up to which accesses are ordered, by thread of the block. The last entry is for copies.
type ThreadClock = Vec<u32>;

/// The clocks released at an mbarrier.
#[derive(Debug, Default)]
struct Barrier {
    /// By all arrivals so far.
    arrived: ThreadClock,
    /// By the arrivals up to the end of the last phase.
    complete: ThreadClock,
    /// The same for accesses of other blocks.
    arrived_of_others: OtherBlocks,
    complete_of_others: OtherBlocks,
}

/// The clock of a warp for other blocks, and the clock that its writes release.
type OtherBlocks = (SharedClock, SharedClock);

/// The clocks of a block.
#[derive(Debug, Default)]
pub(super) struct MbarrierOrder {
    /// The time, which counts synchronization events.
    now: u32,
    /// The time before which all accesses are ordered for all threads.
    synchronized: u32,
    threads: Vec<ThreadClock>,
    barriers: HashMap<u64, Barrier>,
}

impl MbarrierOrder {
    pub(super) fn now(&self) -> u32 {
        self.now
    }

    /// Returns the time before which copies are ordered for some lane of a warp.
    pub(super) fn copies_before(&self, warp: usize) -> u32 {
        let lanes = self.threads.iter().skip(warp * WARP_SIZE).take(WARP_SIZE);
        lanes.filter_map(|clock| clock.last()).copied().max().unwrap_or(0)
    }

    /// Begins with the clocks. An arrival releases what a barrier of its warp has ordered before it, so they begin when the first
    /// mbarrier is initialized, not at the first arrival.
    pub(super) fn begin(&mut self, warps: usize) {
        if self.threads.is_empty() {
            let threads = warps * WARP_SIZE;
            self.threads = vec![vec![0; threads + 1]; threads];
            self.now += 1;
        }
    }

    /// Records an arrival at an mbarrier, which `ends` its phase or not.
    pub(super) fn arrive(&mut self, warps: usize, barrier: u64, by: Arriving, clocks: &OtherBlocks, ends: bool) {
        self.begin(warps);
        let actors = warps * WARP_SIZE + 1;
        let Self { now, threads, barriers, .. } = self;
        let clock = || vec![0; actors];
        let barrier = barriers.entry(barrier).or_insert_with(|| Barrier {
            arrived: clock(),
            complete: clock(),
            ..Barrier::default()
        });
        let of_others = &mut barrier.arrived_of_others;
        *of_others = (join_clocks(&of_others.0, &clocks.0), join_clocks(&of_others.1, &clocks.1));
        match by {
            Arriving::Unordered => {}
            Arriving::Copies => barrier.arrived[actors - 1] = *now + 1,
            Arriving::Thread(warp, lane) => {
                let thread = warp * WARP_SIZE + lane;
                join(&mut barrier.arrived, &threads[thread]);
                barrier.arrived[thread] = *now + 1;
            }
        }
        if ends {
            barrier.complete.clone_from(&barrier.arrived);
            barrier.complete_of_others.clone_from(&barrier.arrived_of_others);
        }
        // Later accesses are not ordered by this arrival.
        *now += 1;
    }

    /// Records that a thread observes the end of a phase, and returns the clocks of other blocks that it acquires.
    pub(super) fn pass(&mut self, barrier: u64, warp: usize, lane: usize) -> OtherBlocks {
        let thread = self.threads.get_mut(warp * WARP_SIZE + lane);
        let (Some(thread), Some(barrier)) = (thread, self.barriers.get(&barrier)) else { return (None, None) };
        join(thread, &barrier.complete);
        barrier.complete_of_others.clone()
    }

    /// Records that the lanes `mask` of a warp synchronize.
    pub(super) fn synchronize(&mut self, warp: usize, mask: u32) {
        if self.threads.is_empty() {
            return;
        }
        self.now += 1;
        let members: Vec<usize> = active(mask).map(|lane| warp * WARP_SIZE + lane).collect();
        let mut together = vec![0; self.threads.len() + 1];
        members.iter().for_each(|&thread| join(&mut together, &self.threads[thread]));
        members.iter().for_each(|&thread| together[thread] = self.now);
        members.iter().for_each(|&thread| self.threads[thread].clone_from(&together));
    }

    /// Records that all threads of the block synchronize.
    pub(super) fn barrier(&mut self) {
        self.now += 1;
        self.synchronized = self.now;
    }

    /// Returns whether an access of the lanes `earlier` of a warp (of copies if `None`) at time `time` is ordered before
    /// the lanes `later` of a warp now.
    pub(super) fn is_ordered(&self, later: (usize, u32), earlier: Option<(usize, u32)>, time: u32) -> bool {
        if self.threads.is_empty() || time < self.synchronized {
            return !self.threads.is_empty();
        }
        let of = |(warp, mask): (usize, u32)| active(mask).map(move |lane| warp * WARP_SIZE + lane);
        let ordered = |thread: usize, actor: usize| thread == actor || self.threads[thread][actor] > time;
        of(later).all(|thread| match earlier {
            Some(earlier) => of(earlier).all(|actor| ordered(thread, actor)),
            None => ordered(thread, self.threads.len()),
        })
    }
}

/// Joins another clock into `clock`.
fn join(clock: &mut ThreadClock, other: &ThreadClock) {
    clock.iter_mut().zip(other).for_each(|(time, &other)| *time = (*time).max(other));
}
