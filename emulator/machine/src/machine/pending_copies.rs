//! Pending asynchronous copies, in the groups of each lane.
//!
//! A copy reads global memory when it is issued, and writes shared memory as late as PTX allows: when its lane waits. An
//! earlier read of shared memory returns the old value, and a copy without a wait never completes. Bulk copies, and copies
//! tracked by an mbarrier, complete when a thread tests that mbarrier.

use crate::ground::lanes::{WARP_SIZE, active};
use std::collections::VecDeque;

/// The largest number of pending copies of a warp. Beyond it the oldest completes without a wait, as it would by then on
/// hardware.
const MAX_PENDING: usize = 1 << 14;

/// The largest number of words of pending bulk copies of a block, likewise.
const MAX_PENDING_BULK_WORDS: usize = 1 << 22;

/// A thread at an mbarrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadAtBarrier {
    /// The offset of the mbarrier in shared memory.
    pub(super) offset: usize,
    pub(super) warp: usize,
    pub(super) lane: usize,
    /// The step that accesses the mbarrier.
    pub(super) position: u32,
}

/// A copy of one lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub(super) lane: usize,
    /// The destination in shared memory.
    pub(super) to: usize,
    /// 4, 8 or 16.
    pub(super) bytes: usize,
    pub(super) words: [u32; 4],
    /// The step that issued it.
    pub(super) position: u32,
}

/// A bulk copy, and the mbarrier at which its bytes arrive.
#[derive(Clone, Debug)]
pub(super) struct Bulk {
    pub(super) at: ThreadAtBarrier,
    /// The destination in shared memory.
    pub(super) to: usize,
    pub(super) words: Vec<u32>,
}

/// A pending copy with its group.
#[derive(Clone, Copy, Debug)]
struct PendingCopy {
    group: u64,
    /// The number of copies that the warp issued before it.
    number: u64,
    copy: Copy,
}

/// The copies of one warp.
#[derive(Clone, Debug, Default)]
struct WarpCopies {
    /// The oldest copy comes first.
    pending: VecDeque<PendingCopy>,
    /// The number of the open group of each lane.
    open: [u64; WARP_SIZE],
    /// The number of copies issued so far.
    issued: u64,
}

/// The pending copies of a block.
#[derive(Debug, Default)]
pub(super) struct PendingCopies {
    warps: Vec<WarpCopies>,
    bulk: VecDeque<Bulk>,
    bulk_words: usize,
    /// Threads that arrive at an mbarrier once their copies with smaller numbers have completed.
    arrivals: VecDeque<(ThreadAtBarrier, u64)>,
}

impl PendingCopies {
    /// Resets the copies for a new block.
    pub(super) fn reset(&mut self, warps: usize) {
        self.warps.resize(warps, WarpCopies::default());
        for WarpCopies { pending, open, issued } in &mut self.warps {
            pending.clear();
            (*open, *issued) = ([0; WARP_SIZE], 0);
        }
        self.bulk.clear();
        self.bulk_words = 0;
        self.arrivals.clear();
    }

    /// Adds a copy to the open group of its lane. If there are too many, removes and returns the oldest.
    pub(super) fn add(&mut self, warp: usize, copy: Copy) -> Option<Copy> {
        let WarpCopies { pending, open, issued } = &mut self.warps[warp];
        pending.push_back(PendingCopy { group: open[copy.lane], number: *issued, copy });
        *issued += 1;
        if pending.len() > MAX_PENDING { pending.pop_front().map(|oldest| oldest.copy) } else { None }
    }

    /// Closes the open groups of the lanes `mask`.
    pub(super) fn commit(&mut self, warp: usize, mask: u32) {
        active(mask).for_each(|lane| self.warps[warp].open[lane] += 1);
    }

    /// Removes and returns the copies of the lanes `mask`, except those in the open group and in the last `groups` closed
    /// groups of each lane.
    pub(super) fn take(&mut self, warp: usize, mask: u32, groups: u32) -> Vec<Copy> {
        let open = self.warps[warp].open;
        self.take_if(warp, |PendingCopy { group, copy, .. }| {
            mask >> copy.lane & 1 != 0 && open[copy.lane] - group > u64::from(groups)
        })
    }

    fn take_if(&mut self, warp: usize, completes: impl Fn(&PendingCopy) -> bool) -> Vec<Copy> {
        let pending = &mut self.warps[warp].pending;
        let taken = pending.iter().filter(|one| completes(one)).map(|one| one.copy).collect();
        pending.retain(|one| !completes(one));
        taken
    }

    /// Returns the number of groups that each lane of each warp has closed.
    pub(super) fn closed_groups(&self) -> impl Iterator<Item = &[u64; WARP_SIZE]> {
        self.warps.iter().map(|warp| &warp.open)
    }

    /// Adds a bulk copy. If there are too many, removes and returns the oldest.
    pub(super) fn add_bulk(&mut self, bulk: Bulk) -> Option<Bulk> {
        self.bulk_words += bulk.words.len();
        self.bulk.push_back(bulk);
        if self.bulk_words > MAX_PENDING_BULK_WORDS { self.remove_bulk(0) } else { None }
    }

    fn remove_bulk(&mut self, index: usize) -> Option<Bulk> {
        let bulk = self.bulk.remove(index)?;
        self.bulk_words -= bulk.words.len();
        Some(bulk)
    }

    /// Removes and returns the oldest bulk copy for the mbarrier at `offset`.
    pub(super) fn take_bulk(&mut self, offset: usize) -> Option<Bulk> {
        let index = self.bulk.iter().position(|bulk| bulk.at.offset == offset)?;
        self.remove_bulk(index)
    }

    /// Makes a thread arrive once the copies that it has issued so far have completed.
    pub(super) fn arrive_after(&mut self, at: ThreadAtBarrier) {
        self.arrivals.push_back((at, self.warps[at.warp].issued));
    }

    /// Removes and returns the oldest such thread at the mbarrier at `offset`, with the copies that it waits for.
    pub(super) fn take_arrival(&mut self, offset: usize) -> Option<(ThreadAtBarrier, Vec<Copy>)> {
        let index = self.arrivals.iter().position(|(at, _)| at.offset == offset)?;
        let (at, before) = self.arrivals.remove(index)?;
        let copies = self.take_if(at.warp, |one| one.copy.lane == at.lane && one.number < before);
        Some((at, copies))
    }
}
