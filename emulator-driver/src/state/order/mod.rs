//! What orders the work of streams. Work has run when the call that gives it returns; what comes before what is kept beside
//! that, as on a device where streams run side by side.
//!
//! Each stream is a line of work, and so is each branch of a graph. A vector clock says what is over when a piece of work
//! begins: what came before on its line, what the line waited for by events, what the host had waited for when it gave the
//! work, and what CUDA's default streams order (`lines.rs`). Two accesses to a byte, one of them a write and not both
//! atomic, of pieces of work neither of which is over when the other begins, are a finding (`shadow.rs`, `finding.rs`):
//! found by this order alone, whatever ran first here.
//!
//! What is not found, since it cannot be seen: that a thread of the host counts on a wait of another thread, which never
//! told it. A kernel that reads a word by an atomic, volatile or ordered load, which another kernel wrote so, counts as having
//! waited for it, as does a stream that waits for a word.

mod clock;
mod company;
mod finding;
mod lines;
mod shadow;

pub(crate) use clock::Clock;
pub(crate) use company::Transferred;
pub(crate) use lines::{Line, Manner, Site};

use super::lock;
use clock::Epoch;
use company::Company;
use emulator::{Accessed, Diagnosis, Memory, Place};
use lines::Lines;
use shadow::{Shadow, Told, Touch};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// What a piece of work is to the others of its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// It computes.
    Kernel,
    /// It moves that many bytes between the device and elsewhere.
    Transfer(u64),
    /// So does a library, which says itself which of its calls that is, in brackets.
    Library(u64),
    /// Neither.
    Other,
}

/// A piece of work that has run.
pub(crate) struct Work<'a> {
    /// What it is: `copy from the host`.
    pub(crate) what: &'a str,
    pub(crate) share: Share,
    /// What it accessed in device memory, in ranges that are not empty.
    pub(crate) accesses: &'a [Accessed],
    /// The places that these name.
    pub(crate) places: &'a [Place],
}

/// Where a piece of work ran.
pub(crate) struct Seat<'a> {
    pub(crate) site: Site,
    /// The stream in words: `stream 2`.
    pub(crate) stream: &'a dyn Fn() -> String,
    /// Ordinal of the device.
    pub(crate) device: u32,
}

/// The order of all work.
#[derive(Default)]
pub(crate) struct Order(Mutex<State>);

#[derive(Default)]
struct State {
    lines: Lines,
    shadow: Shadow,
    /// By device.
    companies: BTreeMap<u32, Company>,
    /// How often each kind of work was done.
    numbers: HashMap<String, u64>,
    /// The findings that were told.
    told: HashSet<String>,
}

/// The bytes of an access.
fn range(access: &Accessed) -> Range<u64> {
    access.address..access.address + access.bytes
}

impl Order {
    /// Takes in a piece of work that has run, and returns what is wrong with its order, where that is checked.
    pub(crate) fn work(&self, seat: &Seat<'_>, work: &Work<'_>, checks: bool, memory: &Memory) -> Vec<Diagnosis> {
        let state = &mut *lock(&self.0);
        let mut handed = Clock::default();
        if checks {
            state.hand_over(work, &mut handed);
            state.lines.wait(&seat.site, &handed);
        }
        let (epoch, start) = state.lines.work(&seat.site);
        let company = state.companies.entry(seat.device).or_default();
        match work.share {
            Share::Kernel => company.kernel(epoch, &start),
            Share::Transfer(bytes) | Share::Library(bytes) => company.transfer(epoch, &start, bytes),
            Share::Other => {}
        }
        if checks { state.compare(seat, work, (epoch, &start), memory) } else { Vec::new() }
    }

    /// What is over when the next work of a line begins: what an event marks.
    pub(crate) fn mark(&self, site: &Site) -> Clock {
        lock(&self.0).lines.arrive(site)
    }

    /// A line waits for what an event marks.
    pub(crate) fn wait(&self, site: &Site, clock: &Clock) {
        lock(&self.0).lines.wait(site, clock);
    }

    /// A line waits for those who wrote a word.
    pub(crate) fn wait_for_word(&self, site: &Site, word: Range<u64>) {
        let state = &mut *lock(&self.0);
        let mut clock = Clock::default();
        state.shadow.touches(word).filter(|touch| touch.writes).for_each(|touch| clock.join(&touch.after));
        state.lines.wait(site, &clock);
    }

    /// Work of a line waits for all that contexts were given, and what they are given later waits for it.
    pub(crate) fn between_contexts<T>(&self, site: &Site, contexts: &[usize], work: impl FnOnce() -> T) -> T {
        contexts.iter().for_each(|&context| lock(&self.0).lines.wait_for_context(site, context));
        let outcome = work();
        contexts.iter().for_each(|&context| lock(&self.0).lines.hold_context(site, context));
        outcome
    }

    /// The host waits for a line.
    pub(crate) fn host_waits(&self, site: &Site) {
        let clock = self.mark(site);
        self.host_waits_for(&clock);
    }

    /// The host waits for what an event marks.
    pub(crate) fn host_waits_for(&self, clock: &Clock) {
        let state = &mut *lock(&self.0);
        state.lines.host_waits(clock);
        state.settle();
    }

    /// The host waits for all that a context was given.
    pub(crate) fn host_waits_for_context(&self, context: usize) {
        let state = &mut *lock(&self.0);
        state.lines.host_waits_for_context(context);
        state.settle();
    }

    /// A context ends, when all that it was given is over.
    pub(crate) fn end_context(&self, context: usize) {
        let state = &mut *lock(&self.0);
        state.lines.end_context(context);
        state.settle();
    }

    /// Forgets what is known of memory that is freed.
    pub(crate) fn forget(&self, range: Range<u64>) {
        lock(&self.0).shadow.forget(range);
    }

    /// Forgets all accesses and findings: checks begin or end.
    pub(crate) fn forget_all(&self) {
        let state = &mut *lock(&self.0);
        state.shadow.clear();
        state.told.clear();
        state.numbers.clear();
    }

    /// What each device transferred since the last call.
    pub(crate) fn take_transferred(&self) -> Vec<Transferred> {
        lock(&self.0).companies.iter_mut().map(|(&device, company)| company.take(device)).collect()
    }
}

impl State {
    /// The host has waited.
    fn settle(&mut self) {
        if self.lines.all_is_over() {
            self.shadow.clear();
        }
        let host = self.lines.host();
        self.companies.values_mut().for_each(|company| company.settle(host));
        self.lines.collect();
    }

    /// What work waited for that read words which others had written to hand something over.
    fn hand_over(&self, work: &Work<'_>, clock: &mut Clock) {
        for access in work.accesses.iter().filter(|access| access.strong && !access.writes) {
            let writers = self.shadow.touches(range(access)).filter(|touch| touch.writes && touch.strong);
            writers.for_each(|writer| clock.join(&writer.after));
        }
    }

    /// Compares the accesses of work with those before.
    fn compare(
        &mut self,
        seat: &Seat<'_>,
        work: &Work<'_>,
        (epoch, start): (Epoch, &Clock),
        memory: &Memory,
    ) -> Vec<Diagnosis> {
        let told = Arc::new(self.tell(seat, work));
        let after = Arc::new(self.lines.arrive(&seat.site));
        let mut touches: HashMap<(bool, bool, Option<usize>), Arc<Touch>> = HashMap::new();
        let mut conflicts = Vec::new();
        for access in work.accesses {
            let &Accessed { writes, strong, place, .. } = access;
            let touch = touches.entry((writes, strong, place)).or_insert_with(|| {
                let place = place.and_then(|place| work.places.get(place)).cloned();
                let (after, told) = (Arc::clone(&after), Arc::clone(&told));
                Arc::new(Touch { epoch, after, told, writes, strong, place })
            });
            self.shadow.access(range(access), touch, start, &mut conflicts);
        }
        conflicts.retain(|conflict| self.told.insert(finding::key(conflict)));
        conflicts.iter().map(|conflict| finding::diagnosis(conflict, memory)).collect()
    }

    /// The name of a piece of work, with its number among those of its kind.
    fn tell(&mut self, seat: &Seat<'_>, work: &Work<'_>) -> Told {
        let (what, stream) = (work.what, (seat.stream)());
        if let Share::Library(_) = work.share {
            let kind = what.split(" (").next().unwrap_or(what);
            return Told { name: format!("{what} on {stream}"), kind: format!("{kind} on {stream}") };
        }
        let number = self.numbers.entry(what.to_owned()).or_default();
        *number += 1;
        let name = match work.share {
            Share::Kernel => format!("launch {number} of {what} on {stream}"),
            _ => format!("{what} number {number} on {stream}"),
        };
        Told { name, kind: format!("{what} on {stream}") }
    }
}
