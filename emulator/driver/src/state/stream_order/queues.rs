//! The queues of work, and the dependencies between them.
//!
//! A queue is a stream or a branch of an executable graph. Work of one queue runs in order. Work that the host has waited for
//! comes before everything submitted later by any thread, because synchronization between host threads is not visible here.

use super::WorkKind;
use super::clock::{Clock, Epoch};
use crate::state::stream::StreamKey;
use std::collections::HashMap;

/// The number of queues from which idle ones are removed.
const MANY: usize = 64;

/// An in-order queue of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Queue {
    /// A stream.
    Stream(StreamKey),
    /// A branch of an executable graph.
    GraphBranch {
        /// The number of the graph's handle.
        executable: usize,
        /// The index of the branch.
        branch: usize,
    },
}

/// The synchronization of a queue with the legacy default stream of its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamKind {
    /// It is the legacy default stream, which waits for all blocking streams.
    Legacy,
    /// It waits for the legacy default stream.
    Blocking,
    /// It does not wait for the legacy default stream.
    NonBlocking,
    /// It is part of a graph launch, which has waited as its stream does.
    GraphBranch,
}

/// A queue of a context, to which work is submitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) queue: Queue,
    pub(crate) kind: StreamKind,
    /// The number of the context's handle.
    pub(crate) context: usize,
}

#[derive(Debug)]
struct State {
    placement: Placement,
    /// The work that is complete before the next piece of work begins.
    clock: Clock,
    /// The number of pieces of work. It goes on when another queue takes over this slot.
    count: u64,
    /// The number of pieces of work that come before a kernel that begins early: those before the kernels at the end of the queue
    /// that do so, and before the one that these follow. `None` if the last piece of work is no kernel, or if the queue has waited
    /// since.
    before_kernels: Option<u64>,
}

/// All queues.
#[derive(Debug, Default)]
pub(super) struct Queues {
    slots: HashMap<Queue, usize>,
    states: Vec<State>,
    free: Vec<usize>,
    /// The work that the host has waited for.
    host: Clock,
}

impl Queues {
    fn slot(&mut self, placement: &Placement) -> usize {
        if let Some(&slot) = self.slots.get(&placement.queue) {
            return slot;
        }
        let slot = self.free.pop().unwrap_or(self.states.len());
        if slot == self.states.len() {
            self.states.push(State { placement: *placement, clock: Clock::default(), count: 0, before_kernels: None });
        }
        let state = &mut self.states[slot];
        (state.placement, state.clock, state.before_kernels) = (*placement, Clock::default(), None);
        self.slots.insert(placement.queue, slot);
        slot
    }

    fn live(&self) -> impl Iterator<Item = &State> {
        self.slots.values().map(|&slot| &self.states[slot])
    }

    /// Returns the clock after all work of a context on queues whose kind `matches`.
    fn clock_of_context(&self, context: usize, matches: impl Fn(StreamKind) -> bool) -> Clock {
        let of_context = |state: &&State| state.placement.context == context && matches(state.placement.kind);
        self.live().filter(of_context).fold(Clock::default(), |mut all, state| {
            all.join(&state.clock);
            all
        })
    }

    /// Returns what is complete when the queue's next piece of work begins.
    pub(super) fn arrive(&mut self, placement: &Placement) -> Clock {
        let slot = self.slot(placement);
        let mut clock = std::mem::take(&mut self.states[slot].clock);
        if placement.kind != StreamKind::GraphBranch {
            clock.join(&self.host);
        }
        match placement.kind {
            StreamKind::Legacy => {
                clock.join(&self.clock_of_context(placement.context, |kind| kind == StreamKind::Blocking))
            }
            StreamKind::Blocking => {
                clock.join(&self.clock_of_context(placement.context, |kind| kind == StreamKind::Legacy))
            }
            StreamKind::NonBlocking | StreamKind::GraphBranch => {}
        }
        self.states[slot].clock.clone_from(&clock);
        clock
    }

    /// Adds a piece of work to the queue. Returns its epoch, and what is complete when it begins.
    pub(super) fn add(&mut self, placement: &Placement, kind: WorkKind) -> (Epoch, Clock) {
        let mut start = self.arrive(placement);
        let queue = self.slot(placement);
        let state = &mut self.states[queue];
        let before = state.before_kernels.filter(|_| kind == WorkKind::EarlyKernel);
        before.into_iter().for_each(|before| start.limit(queue, before.max(self.host.last(queue))));
        state.before_kernels = match kind {
            WorkKind::Kernel => Some(state.count),
            WorkKind::EarlyKernel => Some(before.unwrap_or(state.count)),
            WorkKind::Library | WorkKind::Other => None,
        };
        state.count += 1;
        let epoch = Epoch { queue, number: state.count };
        state.clock.add(epoch);
        (epoch, start)
    }

    /// Makes the queue wait for the work in `clock`.
    pub(super) fn wait(&mut self, placement: &Placement, clock: &Clock) {
        self.arrive(placement);
        let slot = self.slot(placement);
        let state = &mut self.states[slot];
        if !state.clock.includes(clock) {
            state.clock.join(clock);
            state.before_kernels = None;
        }
    }

    /// Records that the host has waited for the work in `clock`.
    pub(super) fn host_waits(&mut self, clock: &Clock) {
        self.host.join(clock);
    }

    /// Records that the host has waited for all work submitted to a context.
    pub(super) fn host_waits_for_context(&mut self, context: usize) {
        let clock = self.clock_of_context(context, |_| true);
        self.host.join(&clock);
    }

    /// Returns whether the host has waited for all work.
    pub(super) fn is_idle(&self) -> bool {
        self.live().all(|state| self.host.includes(&state.clock))
    }

    /// Removes idle queues if there are many. The clock of an idle queue contains only work that the host has waited for.
    pub(super) fn collect(&mut self) {
        if self.slots.len() < MANY {
            return;
        }
        self.remove(|state, host| host.includes(&state.clock));
    }

    /// Removes the queues of a context that is being destroyed, which completes its work.
    pub(super) fn end_context(&mut self, context: usize) {
        self.host_waits_for_context(context);
        self.remove(|state, _| state.placement.context == context);
    }

    /// Removes the queues for which `matches` holds. Others may take over their slots.
    fn remove(&mut self, matches: impl Fn(&State, &Clock) -> bool) {
        let states = &self.states;
        let host = &self.host;
        let free = &mut self.free;
        self.slots.retain(|_, &mut slot| {
            let goes = matches(&states[slot], host);
            if goes {
                free.push(slot);
            }
            !goes
        });
    }
}
