//! Comparison of each access to memory with the earlier ones.
//!
//! For each byte, only the last reader, the last reader in another lane of its warp, and the last reader in another warp are
//! recorded, so a race with an earlier reader can be missed. A barrier for a part of the block counts as a barrier for all of
//! it.

use super::finding::{Distance, FindingKind, Hazard, MemorySpace};
use super::occurrence::{Key, Occurrence};
use super::order::Order;
use super::shadow::{Cell, Cells, Piece, Writes};
use super::touch::{Stamp, Touch};
use super::traits::Traits;
use crate::lower::reach::Reach;
use crate::lower::transfers::Uses;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Compares each access with the earlier ones, and collects findings.
#[derive(Debug, Default)]
pub(super) struct RaceDetector {
    pub(super) order: Order,
    pub(super) findings: BTreeMap<Key, Occurrence>,
    /// The number of visits so far.
    pub(super) accesses: u64,
    pub(super) uses: Arc<Uses>,
    /// The uses of the values that steps load, as far as it was asked for.
    pub(super) reaches: FxHashMap<u32, Arc<Reach>>,
}

/// An access of one lane, or of several at one address.
pub(super) struct Visit {
    pub(super) memory: MemorySpace,
    pub(super) touch: Touch,
    /// The same access in its short form.
    pub(super) stamp: Stamp,
    pub(super) lanes: u64,
    /// Whether it is a plain load or store of memory that no asynchronous operation is about to access.
    pub(super) plain: bool,
    /// One bit for each byte that it stores and that was loaded from uninitialized memory.
    pub(super) undefined: u32,
}

impl Visit {
    /// Makes it the access of other lanes.
    pub(super) fn by(&mut self, lanes: u32) {
        (self.touch.lanes, self.stamp) = (lanes, self.stamp.by(lanes));
    }
}

impl RaceDetector {
    pub(super) fn add(&mut self, kind: FindingKind, address: Option<u64>, touch: &Touch, earlier: &Touch, lanes: u64) {
        let earlier_thread = earlier.apart_from(touch).thread();
        let new = Occurrence {
            block: touch.block,
            address,
            thread: if earlier_thread == touch.thread() { touch.apart_from(earlier).thread() } else { touch.thread() },
            earlier_block: earlier.block,
            earlier_thread,
            count: 0,
            access: 0,
        };
        let occurrence = self.findings.entry((kind, earlier.position, touch.position)).or_insert(new);
        if occurrence.access != self.accesses {
            occurrence.access = self.accesses;
            occurrence.count += lanes;
        }
    }

    /// Returns whether two accesses to global memory are correct in a way that is not checked further: because one of them is
    /// atomic, as with the plain read before a loop of compare-and-swaps. A plain load on whose value the kernel relies is
    /// not ([`Reach::is_relied_on`]).
    fn is_excused(&mut self, hazard: Hazard, earlier: &Touch, touch: &Touch) -> bool {
        let one_is_atomic = earlier.has(Traits::ATOMIC) || touch.has(Traits::ATOMIC);
        let may_race = earlier.is_too_narrow_for(touch) || earlier.is_volatile_exchange_with(touch);
        if !one_is_atomic || hazard == Hazard::WriteAfterWrite || may_race {
            return false;
        }
        let [load, other] = if hazard == Hazard::ReadAfterWrite { [touch, earlier] } else { [earlier, touch] };
        load.has(Traits::ATOMIC) || !other.has(Traits::MODIFIES) || !self.reach(load.position).is_relied_on()
    }

    /// Returns what becomes of the values that a step loads.
    pub(super) fn reach(&mut self, position: u32) -> Arc<Reach> {
        Arc::clone(self.reaches.entry(position).or_insert_with(|| Arc::new(self.uses.reach(position))))
    }

    #[inline(always)]
    fn race(&mut self, visit: &Visit, hazard: Hazard, address: u64, earlier: Option<Stamp>) {
        let Some(earlier) = earlier else { return };
        if earlier.is_of_moment_and_lane_of(visit.stamp) && !is_by_read_only_path(earlier, visit.stamp) {
            return;
        }
        // Most accesses to shared memory.
        let is_shared = visit.memory == MemorySpace::Shared;
        if !is_shared || !self.order.moments().is_before_barrier(earlier, &visit.touch) {
            self.compare(visit, hazard, address, &self.order.moments().touch(earlier));
        }
    }

    #[inline(never)]
    fn compare(&mut self, visit: &Visit, hazard: Hazard, address: u64, earlier: &Touch) {
        let is_global = visit.memory == MemorySpace::Global;
        let reads = is_global && hazard == Hazard::ReadAfterWrite;
        let distance = if reads && self.order.lacks_fence(earlier, &visit.touch) {
            Some(Distance::BetweenBlocks)
        } else if is_global && self.is_excused(hazard, earlier, &visit.touch) {
            None
        } else {
            self.order.race_distance(earlier, &visit.touch)
        };
        let kind = match distance {
            Some(_) if earlier.is_strong_with(&visit.touch) && earlier.is_too_narrow_for(&visit.touch) => {
                FindingKind::ScopeOfBlock { memory: visit.memory, hazard }
            }
            Some(distance) => FindingKind::Race { memory: visit.memory, hazard, distance },
            None if hazard == Hazard::ReadAfterWrite && self.order.lacks_acquire(earlier, &visit.touch) => {
                FindingKind::MissingAcquire { memory: visit.memory }
            }
            None if earlier.has(Traits::READ_ONLY) || visit.touch.has(Traits::READ_ONLY) => {
                FindingKind::WrittenReadOnly { hazard }
            }
            None => return,
        };
        self.add(kind, Some(address), &visit.touch, earlier, visit.lanes);
    }

    /// Reports the read of what nobody has written.
    pub(super) fn add_uninitialized(&mut self, visit: &Visit, piece: Piece) {
        let kind = FindingKind::Uninitialized { memory: visit.memory };
        self.add(kind, Some(piece.address), &visit.touch, &visit.touch, visit.lanes);
    }

    /// Checks that the writes are ordered before a read.
    pub(super) fn check_writers(&mut self, visit: &Visit, piece: Piece, cell: &Cell<'_>) {
        for writer in cell.writes.by {
            self.race(visit, Hazard::ReadAfterWrite, piece.address, writer);
        }
    }

    /// Checks that a fence is between the writes of threads and the read by an asynchronous operation.
    pub(super) fn check_proxy_fence(&mut self, visit: &Visit, piece: Piece, cell: &Cell<'_>) {
        for writer in cell.writes.by.into_iter().flatten() {
            let writer = self.order.moments().touch(writer);
            if self.order.lacks_proxy_fence(&writer, &visit.touch) {
                self.add(FindingKind::MissingProxyFence, Some(piece.address), &visit.touch, &writer, visit.lanes);
            }
        }
    }

    pub(super) fn read(&mut self, visit: &Visit, piece: Piece, cell: Cell<'_>) {
        self.check_writers(visit, piece, &cell);
        cell.readers.add(visit.stamp, self.order.moments());
    }

    pub(super) fn write(&mut self, visit: &Visit, piece: Piece, cell: Cell<'_>, value: Option<u32>) {
        // Several threads may set and reset a flag.
        let of_flag = |reader: Stamp| reader.has(Traits::ATOMIC) && reader.has(Traits::VOLATILE);
        let sets_flag = visit.touch.has(Traits::VOLATILE) && cell.readers.0.into_iter().flatten().any(of_flag);
        // Two writes of the same value do not make the result undefined.
        if !sets_flag && (value.is_none() || value != cell.writes.value) {
            for writer in cell.writes.by {
                self.race(visit, Hazard::WriteAfterWrite, piece.address, writer);
            }
        }
        for reader in cell.readers.0 {
            self.race(visit, Hazard::WriteAfterRead, piece.address, reader);
        }
        let stamp = visit.stamp.with_undefined(visit.undefined >> piece.offset & 1 != 0);
        cell.writes.by[usize::from(visit.touch.has(Traits::ATOMIC))] = Some(stamp);
        cell.writes.value = value;
    }

    /// Returns whether an earlier access, if there was one, is ordered before this one by the block's last barrier, or because
    /// the same lane made it. That is quickly decided, and so for most accesses. Nothing follows from false.
    #[inline(always)]
    fn is_plainly_ordered(&self, earlier: Option<Stamp>, stamp: Stamp) -> bool {
        earlier
            .is_none_or(|earlier| self.order.is_before_last_barrier(earlier) || earlier.is_of_moment_and_lane_of(stamp))
    }

    /// Records a plain load by which [`Checking::check`](super::checking::Checking) and [`Self::read`] would find nothing, with the stamp of each cell.
    /// Does nothing and returns false if they have to check it.
    #[inline(always)]
    pub(super) fn reads_plainly(&self, stamp: impl Fn(usize) -> Stamp, cells: &mut Cells<'_>, written: bool) -> bool {
        let is_ordered = |(index, writes): (usize, &Writes)| {
            let stamp = stamp(index);
            (written || writes.are_defined())
                && (writes.by == [None; 2] || !stamp.has(Traits::READ_ONLY))
                && writes.by.into_iter().all(|by| self.is_plainly_ordered(by, stamp))
        };
        if !written && cells.writes.is_empty() || !cells.writes.iter().enumerate().all(is_ordered) {
            return false;
        }
        for (index, readers) in cells.readers.iter_mut().enumerate() {
            readers.add(stamp(index), self.order.moments());
        }
        true
    }

    /// Records a plain store by which [`Self::write`] would find nothing, with the stamp and the value of each cell. Does nothing
    /// and returns false if that has to check it.
    #[inline(always)]
    pub(super) fn writes_plainly(
        &self,
        stamp: impl Fn(usize) -> Stamp,
        cells: &mut Cells<'_>,
        value: impl Fn(&Cells<'_>, usize) -> Option<u32>,
    ) -> bool {
        for index in 0..cells.readers.len() {
            let stamp = stamp(index);
            let writes = cells.writes[index];
            let new = value(cells, index);
            let same = new.is_some() && new == writes.value;
            let mut readers = cells.readers[index].0.into_iter();
            let is_ordered = (same || writes.by.into_iter().all(|by| self.is_plainly_ordered(by, stamp)))
                && readers.all(|reader| {
                    self.is_plainly_ordered(reader, stamp)
                        && !reader.is_some_and(|reader| reader.has(Traits::READ_ONLY))
                });
            if !is_ordered {
                return false;
            }
        }
        for index in 0..cells.readers.len() {
            let value = value(cells, index);
            (cells.writes[index].by[0], cells.writes[index].value) = (Some(stamp(index)), value);
        }
        true
    }
}

/// Returns whether one of two accesses is a load by the read-only path.
fn is_by_read_only_path(earlier: Stamp, stamp: Stamp) -> bool {
    earlier.has(Traits::READ_ONLY) || stamp.has(Traits::READ_ONLY)
}
