//! What is known of each byte of device memory: which work accessed it, as far as later work has to be compared with it.

use super::clock::{Clock, Epoch};
use emulator::Place;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A piece of work, for messages.
#[derive(Debug)]
pub(super) struct Told {
    /// With its number, `launch 3 of kernel `sum` on stream 1`.
    pub(super) name: String,
    /// Without it.
    pub(super) kind: String,
}

/// An access by a piece of work.
#[derive(Debug)]
pub(super) struct Touch {
    pub(super) epoch: Epoch,
    /// What is over when that work is.
    pub(super) after: Arc<Clock>,
    pub(super) told: Arc<Told>,
    pub(super) writes: bool,
    /// Atomic, volatile or ordered: two such accesses go together.
    pub(super) strong: bool,
    /// A thread that did it, where it is known.
    pub(super) place: Option<Place>,
}

impl Touch {
    /// Whether the order of the two matters.
    fn conflicts_with(&self, later: &Self) -> bool {
        self.epoch != later.epoch && (self.writes || later.writes) && !(self.strong && later.strong)
    }

    /// Whether everything that the order with an earlier access matters to, it matters to with this one too.
    fn stands_for(&self, earlier: &Self) -> bool {
        (self.writes || !earlier.writes) && (!self.strong || earlier.strong)
    }
}

/// Two accesses to the same bytes that nothing orders.
#[derive(Debug)]
pub(super) struct Conflict {
    pub(super) earlier: Arc<Touch>,
    pub(super) later: Arc<Touch>,
    /// The first bytes in a row.
    pub(super) first: Range<u64>,
    /// Bytes in all.
    pub(super) bytes: u64,
}

/// The accesses to bytes in a row.
#[derive(Clone, Debug, Default)]
struct Segment {
    end: u64,
    touches: Vec<Arc<Touch>>,
}

/// Segments by their first byte, which do not overlap.
#[derive(Debug, Default)]
pub(super) struct Shadow(BTreeMap<u64, Segment>);

impl Shadow {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Forgets what is known of memory that is freed.
    pub(super) fn forget(&mut self, range: Range<u64>) {
        self.split(range.start);
        self.split(range.end);
        self.0.retain(|start, _| !range.contains(start));
    }

    /// Makes a segment begin at `at`, if one goes across.
    fn split(&mut self, at: u64) {
        let Some((_, segment)) = self.0.range_mut(..at).next_back() else { return };
        if segment.end > at {
            let behind = segment.clone();
            segment.end = at;
            self.0.insert(at, behind);
        }
    }

    /// The accesses to bytes of a range.
    pub(super) fn touches(&self, range: Range<u64>) -> impl Iterator<Item = &Arc<Touch>> {
        let first = self.0.range(..=range.start).next_back().map_or(range.start, |(&start, _)| start);
        let overlapping = self.0.range(first..range.end).filter(move |(_, segment)| segment.end > range.start);
        overlapping.flat_map(|(_, segment)| &segment.touches)
    }

    /// Bytes are accessed by work that begins at `start`. Adds to `conflicts` what that is not ordered with.
    pub(super) fn access(
        &mut self,
        range: Range<u64>,
        touch: &Arc<Touch>,
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
                push(&mut pieces, at, Segment { end: key, touches: vec![Arc::clone(touch)] });
            }
            at = segment.end;
            for earlier in &segment.touches {
                if earlier.conflicts_with(touch) && !start.covers(earlier.epoch) {
                    note(conflicts, earlier, touch, key..segment.end);
                }
            }
            segment.touches.retain(|earlier| !is_settled(earlier, touch, start));
            segment.touches.push(Arc::clone(touch));
            push(&mut pieces, key, segment);
        }
        if at < range.end {
            push(&mut pieces, at, Segment { end: range.end, touches: vec![Arc::clone(touch)] });
        }
        self.0.extend(pieces);
    }
}

/// Whether no later work has to be compared with an earlier access any more: the new one stands for it and comes after it,
/// or the two are a finding already.
fn is_settled(earlier: &Touch, touch: &Touch, start: &Clock) -> bool {
    let comes_after = earlier.epoch == touch.epoch || start.covers(earlier.epoch);
    touch.stands_for(earlier) && (comes_after || earlier.conflicts_with(touch))
}

/// Adds a segment behind the others; neighbors that are alike become one.
fn push(pieces: &mut Vec<(u64, Segment)>, start: u64, segment: Segment) {
    if let Some((_, last)) = pieces.last_mut()
        && last.end == start
        && last.touches.len() == segment.touches.len()
        && last.touches.iter().zip(&segment.touches).all(|(one, other)| Arc::ptr_eq(one, other))
    {
        last.end = segment.end;
        return;
    }
    pieces.push((start, segment));
}

fn note(conflicts: &mut Vec<Conflict>, earlier: &Arc<Touch>, later: &Arc<Touch>, range: Range<u64>) {
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
            let (earlier, later) = (Arc::clone(earlier), Arc::clone(later));
            conflicts.push(Conflict { earlier, later, first: range, bytes });
        }
    }
}
