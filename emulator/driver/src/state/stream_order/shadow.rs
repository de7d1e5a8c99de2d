//! Shadow memory: for each byte of device memory, the accesses that later work must be compared with.

use super::clock::{Clock, Epoch};
use emulator::Place;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The name of a piece of work in messages.
#[derive(Debug)]
pub(super) struct Name {
    /// The name with a number, such as ``launch 3 of kernel `sum` on stream 1``.
    pub(super) full: String,
    /// The name without the number.
    pub(super) kind: String,
}

/// An access by a piece of work.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) epoch: Epoch,
    /// The work that is complete once this piece of work is.
    pub(super) after: Arc<Clock>,
    pub(super) name: Arc<Name>,
    pub(super) writes: bool,
    /// Whether the access is atomic, volatile or ordered. Two such accesses do not conflict.
    pub(super) strong: bool,
    /// A thread that made the access, if known.
    pub(super) place: Option<Place>,
}

impl Access {
    /// Returns whether the two accesses have to be ordered.
    fn conflicts_with(&self, later: &Self) -> bool {
        self.epoch != later.epoch && (self.writes || later.writes) && !(self.strong && later.strong)
    }

    /// Returns whether every access that conflicts with `earlier` also conflicts with this one.
    fn subsumes(&self, earlier: &Self) -> bool {
        (self.writes || !earlier.writes) && (!self.strong || earlier.strong)
    }
}

/// Two conflicting accesses that are not ordered.
#[derive(Debug)]
pub(super) struct Conflict {
    pub(super) earlier: Arc<Access>,
    pub(super) later: Arc<Access>,
    /// The first contiguous bytes.
    pub(super) first: Range<u64>,
    /// The number of bytes in total.
    pub(super) bytes: u64,
}

/// The accesses to contiguous bytes.
#[derive(Clone, Debug, Default)]
struct Segment {
    end: u64,
    accesses: Vec<Arc<Access>>,
}

/// Disjoint segments by their first byte.
#[derive(Debug, Default)]
pub(super) struct Shadow(BTreeMap<u64, Segment>);

impl Shadow {
    /// Removes all accesses.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Removes the accesses to a range, whose memory is being freed.
    pub(super) fn forget(&mut self, range: Range<u64>) {
        self.split(range.start);
        self.split(range.end);
        self.0.retain(|start, _| !range.contains(start));
    }

    /// Splits the segment that contains `at`, if there is one, so that a segment begins there.
    fn split(&mut self, at: u64) {
        let Some((_, segment)) = self.0.range_mut(..at).next_back() else { return };
        if segment.end > at {
            let second = segment.clone();
            segment.end = at;
            self.0.insert(at, second);
        }
    }

    /// Returns the accesses to bytes of a range.
    pub(super) fn accesses(&self, range: Range<u64>) -> impl Iterator<Item = &Arc<Access>> {
        let first = self.0.range(..=range.start).next_back().map_or(range.start, |(&start, _)| start);
        let overlapping = self.0.range(first..range.end).filter(move |(_, segment)| segment.end > range.start);
        overlapping.flat_map(|(_, segment)| &segment.accesses)
    }

    /// Adds an access to a range, by work that begins when the work in `start` is complete. Appends the conflicts with
    /// earlier accesses to `conflicts`.
    pub(super) fn add(
        &mut self,
        range: Range<u64>,
        access: &Arc<Access>,
        start: &Clock,
        conflicts: &mut Vec<Conflict>,
    ) {
        self.split(range.start);
        self.split(range.end);
        let keys: Vec<u64> = self.0.range(range.clone()).map(|(&key, _)| key).collect();
        let mut pieces: Vec<(u64, Segment)> = Vec::new();
        let mut at = range.start;
        for key in keys {
            let Some(mut segment) = self.0.remove(&key) else { continue };
            if key > at {
                push(&mut pieces, at, Segment { end: key, accesses: vec![Arc::clone(access)] });
            }
            at = segment.end;
            for earlier in &segment.accesses {
                if earlier.conflicts_with(access) && !start.covers(earlier.epoch) {
                    note(conflicts, earlier, access, key..segment.end);
                }
            }
            segment.accesses.retain(|earlier| !is_settled(earlier, access, start));
            segment.accesses.push(Arc::clone(access));
            push(&mut pieces, key, segment);
        }
        if at < range.end {
            push(&mut pieces, at, Segment { end: range.end, accesses: vec![Arc::clone(access)] });
        }
        self.0.extend(pieces);
    }
}

/// Returns whether later work need not be compared with an earlier access any more: the new access subsumes it and comes
/// after it, or the two are a finding already.
fn is_settled(earlier: &Access, access: &Access, start: &Clock) -> bool {
    let comes_after = earlier.epoch == access.epoch || start.covers(earlier.epoch);
    access.subsumes(earlier) && (comes_after || earlier.conflicts_with(access))
}

/// Appends a segment, or extends the last one if it is adjacent and has the same accesses.
fn push(pieces: &mut Vec<(u64, Segment)>, start: u64, segment: Segment) {
    if let Some((_, last)) = pieces.last_mut()
        && last.end == start
        && last.accesses.len() == segment.accesses.len()
        && last.accesses.iter().zip(&segment.accesses).all(|(one, other)| Arc::ptr_eq(one, other))
    {
        last.end = segment.end;
        return;
    }
    pieces.push((start, segment));
}

/// Adds bytes to the conflict of two accesses, which is appended if it is new.
fn note(conflicts: &mut Vec<Conflict>, earlier: &Arc<Access>, later: &Arc<Access>, range: Range<u64>) {
    let bytes = range.end - range.start;
    let same = |known: &&mut Conflict| Arc::ptr_eq(&known.earlier, earlier) && Arc::ptr_eq(&known.later, later);
    match conflicts.iter_mut().find(same) {
        Some(known) => {
            known.bytes += bytes;
            if known.first.end == range.start {
                known.first.end = range.end;
            }
        }
        None => {
            let earlier = Arc::clone(earlier);
            let later = Arc::clone(later);
            conflicts.push(Conflict { earlier, later, first: range, bytes });
        }
    }
}
