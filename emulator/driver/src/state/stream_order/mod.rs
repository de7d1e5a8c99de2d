//! The order of the work of streams. Work has run when the call that submits it returns; its dependencies are recorded as on a
//! device where streams run concurrently.
//!
//! Each stream is a queue of work, and so is each branch of a graph. A vector clock records what is complete when a piece of
//! work begins: earlier work of its queue, work that the queue waited for through events, work that the host had waited for,
//! and the implicit synchronization with CUDA's default streams (`queues.rs`). Two accesses to the same byte are a finding if
//! one is a write, not both are atomic, and neither piece of work is complete when the other begins (`shadow.rs`,
//! `finding.rs`). Only this order decides, not the order of execution.
//!
//! One mistake is not visible and not found: a host thread that relies on the wait of another thread without synchronizing
//! with it. A kernel that reads a word with an atomic, volatile or ordered load waits for the kernels that wrote the word in
//! such a way.

mod clock;
mod finding;
mod queues;
mod shadow;

pub(crate) use clock::Clock;
pub(crate) use queues::{Placement, Queue, StreamKind};

use super::lock;
use clock::Epoch;
use emulator::{Accessed, Diagnosis, Memory, Place};
use queues::Queues;
use shadow::{Access, Name, Shadow};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// The kind of a piece of work, which decides its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkKind {
    /// A kernel.
    Kernel,
    /// A kernel that may begin before the kernel before it on its stream is complete: its launch has the attribute
    /// `PROGRAMMATIC_STREAM_SERIALIZATION`, and it does not wait with `griddepcontrol.wait`.
    EarlyKernel,
    /// A transfer by a library, which numbers its calls itself, in parentheses.
    Library,
    /// Work that is neither.
    Other,
}

/// A piece of work that has run.
pub(crate) struct Work<'a> {
    /// The name of its kind, such as `copy from the host`.
    pub(crate) what: &'a str,
    pub(crate) kind: WorkKind,
    /// Its accesses to device memory, in ranges that are not empty.
    pub(crate) accesses: &'a [Accessed],
    /// The places to which `accesses` refer.
    pub(crate) places: &'a [Place],
}

/// The stream of a piece of work.
pub(crate) struct Origin<'a> {
    pub(crate) placement: Placement,
    /// Returns the name of the stream, such as `stream 2`.
    pub(crate) stream: &'a dyn Fn() -> String,
}

/// The order of all work.
#[derive(Default)]
pub(crate) struct Order(Mutex<State>);

#[derive(Default)]
struct State {
    queues: Queues,
    shadow: Shadow,
    /// The number of pieces of work of each kind.
    numbers: HashMap<String, u64>,
    /// The keys of the findings that have been reported.
    reported: HashSet<String>,
}

/// Returns the bytes of an access.
fn range(access: &Accessed) -> Range<u64> {
    access.address..access.address + access.bytes
}

impl Order {
    /// Adds a piece of work that has run. Returns its conflicts with other work if `checks` are on.
    pub(crate) fn add(&self, origin: &Origin<'_>, work: &Work<'_>, checks: bool, memory: &Memory) -> Vec<Diagnosis> {
        let state = &mut *lock(&self.0);
        if checks {
            let acquired = state.clock_of_signals(work);
            state.queues.wait(&origin.placement, &acquired);
        }
        let (epoch, start) = state.queues.add(&origin.placement, work.kind);
        if checks { state.compare(origin, work, (epoch, &start), memory) } else { Vec::new() }
    }

    /// Returns what is complete when the next work of a queue begins, for an event to record.
    pub(crate) fn mark(&self, placement: &Placement) -> Clock {
        lock(&self.0).queues.arrive(placement)
    }

    /// Makes a queue wait for an event.
    pub(crate) fn wait(&self, placement: &Placement, clock: &Clock) {
        lock(&self.0).queues.wait(placement, clock);
    }

    /// Records that the host has waited for a queue.
    pub(crate) fn host_waits(&self, placement: &Placement) {
        let clock = self.mark(placement);
        self.host_waits_for(&clock);
    }

    /// Records that the host has waited for an event.
    pub(crate) fn host_waits_for(&self, clock: &Clock) {
        let state = &mut *lock(&self.0);
        state.queues.host_waits(clock);
        state.settle();
    }

    /// Records that the host has waited for all work submitted to a context.
    pub(crate) fn host_waits_for_context(&self, context: usize) {
        let state = &mut *lock(&self.0);
        state.queues.host_waits_for_context(context);
        state.settle();
    }

    /// Removes a context that is being destroyed, which completes its work.
    pub(crate) fn end_context(&self, context: usize) {
        let state = &mut *lock(&self.0);
        state.queues.end_context(context);
        state.settle();
    }

    /// Removes the accesses to memory that is being freed.
    pub(crate) fn forget(&self, range: Range<u64>) {
        lock(&self.0).shadow.forget(range);
    }

    /// Reports races again that have been reported, because the program has taken the findings.
    pub(crate) fn forget_reported(&self) {
        lock(&self.0).reported.clear();
    }

    /// Removes all accesses and findings, when checks are turned on or off.
    pub(crate) fn forget_all(&self) {
        let state = &mut *lock(&self.0);
        state.shadow.clear();
        state.reported.clear();
        state.numbers.clear();
    }
}

impl State {
    /// Updates everything that depends on what the host has waited for.
    fn settle(&mut self) {
        if self.queues.is_idle() {
            self.shadow.clear();
        }
        self.queues.collect();
    }

    /// Returns what is complete because `work` read words that other work wrote to signal it.
    fn clock_of_signals(&self, work: &Work<'_>) -> Clock {
        let mut clock = Clock::default();
        for access in work.accesses.iter().filter(|access| access.strong && !access.writes) {
            let writers = self.shadow.accesses(range(access)).filter(|access| access.writes && access.strong);
            writers.for_each(|writer| clock.join(&writer.after));
        }
        clock
    }

    /// Compares the accesses of `work` with earlier ones and returns the new findings.
    fn compare(
        &mut self,
        origin: &Origin<'_>,
        work: &Work<'_>,
        (epoch, start): (Epoch, &Clock),
        memory: &Memory,
    ) -> Vec<Diagnosis> {
        let name = Arc::new(self.name(origin, work));
        let after = Arc::new(self.queues.arrive(&origin.placement));
        let mut records: HashMap<(bool, bool, Option<usize>), Arc<Access>> = HashMap::new();
        let mut conflicts = Vec::new();
        for access in work.accesses {
            let &Accessed { writes, strong, place, .. } = access;
            let record = records.entry((writes, strong, place)).or_insert_with(|| {
                let place = place.and_then(|place| work.places.get(place)).cloned();
                let after = Arc::clone(&after);
                let name = Arc::clone(&name);
                Arc::new(Access { epoch, after, name, writes, strong, place })
            });
            self.shadow.add(range(access), record, start, &mut conflicts);
        }
        conflicts.retain(|conflict| self.reported.insert(finding::key(conflict, memory)));
        conflicts.iter().map(|conflict| finding::diagnosis(conflict, memory)).collect()
    }

    /// Returns the name of a piece of work, numbered among its kind.
    fn name(&mut self, origin: &Origin<'_>, work: &Work<'_>) -> Name {
        let what = work.what;
        let stream = (origin.stream)();
        if work.kind == WorkKind::Library {
            let kind = what.split(" (").next().unwrap_or(what);
            return Name { full: format!("{what} on {stream}"), kind: format!("{kind} on {stream}") };
        }
        let number = self.numbers.entry(what.to_owned()).or_default();
        *number += 1;
        let full = match work.kind {
            WorkKind::Kernel | WorkKind::EarlyKernel => format!("launch {number} of {what} on {stream}"),
            _ => format!("{what} number {number} on {stream}"),
        };
        Name { full, kind: format!("{what} on {stream}") }
    }
}
