//! Asynchronous copies: each lane's, in groups, from when it asks for them until it waits for them.
//!
//! Global memory is read when the copy is asked for, and shared memory written as late as PTX has it: when the lane waits.
//! Who reads before that finds what was there. A copy that nobody waits for never lands. Bulk copies, and those whose lane
//! arrives at a barrier in shared memory behind them, land when a thread asks that barrier.

use crate::ground::lanes::{LANES, active};
use std::collections::VecDeque;

/// Copies of a warp that are under way at most. With more, the oldest land without a wait, as they would on hardware in
/// that time.
const MOST_UNDER_WAY: usize = 1 << 14;

/// Words of bulk copies that are under way at most, in all of a block: likewise.
const MOST_BULK_WORDS: usize = 1 << 22;

/// A thread at a barrier in shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    /// First byte of the barrier.
    pub(super) offset: usize,
    pub(super) warp: usize,
    pub(super) lane: usize,
    /// The step.
    pub(super) position: u32,
}

/// A copy of one lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub(super) lane: usize,
    /// Where it lands in shared memory.
    pub(super) to: usize,
    /// 4, 8 or 16.
    pub(super) bytes: usize,
    pub(super) words: [u32; 4],
    /// The step that asked for it.
    pub(super) position: u32,
}

/// A bulk copy, and the barrier where its bytes arrive.
#[derive(Clone, Debug)]
pub(super) struct Bulk {
    pub(super) at: At,
    /// Where it lands in shared memory.
    pub(super) to: usize,
    pub(super) words: Vec<u32>,
}

/// A copy with its group, and how many copies its warp had asked for before.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    group: u64,
    number: u64,
    copy: Copy,
}

/// Copies of one warp, the oldest first; of each lane the number of the group that is open, and the copies so far.
#[derive(Clone, Debug, Default)]
struct OfWarp {
    under_way: VecDeque<UnderWay>,
    open: [u64; LANES],
    asked: u64,
}

/// Copies of a block that have not landed.
#[derive(Debug, Default)]
pub(super) struct Copies {
    warps: Vec<OfWarp>,
    bulk: VecDeque<Bulk>,
    bulk_words: usize,
    /// Threads that arrive once those of their copies have landed that have smaller numbers.
    arrivals: VecDeque<(At, u64)>,
}

impl Copies {
    /// Begins a block.
    pub(super) fn reset(&mut self, warps: usize) {
        self.warps.resize(warps, OfWarp::default());
        for OfWarp { under_way, open, asked } in &mut self.warps {
            under_way.clear();
            (*open, *asked) = ([0; LANES], 0);
        }
        self.bulk.clear();
        self.bulk_words = 0;
        self.arrivals.clear();
    }

    /// Adds a copy to the open group of its lane. One that there is no room for comes back.
    pub(super) fn add(&mut self, warp: usize, copy: Copy) -> Option<Copy> {
        let OfWarp { under_way, open, asked } = &mut self.warps[warp];
        under_way.push_back(UnderWay { group: open[copy.lane], number: *asked, copy });
        *asked += 1;
        if under_way.len() > MOST_UNDER_WAY { under_way.pop_front().map(|oldest| oldest.copy) } else { None }
    }

    /// Closes the open groups of the lanes `mask`.
    pub(super) fn commit(&mut self, warp: usize, mask: u32) {
        active(mask).for_each(|lane| self.warps[warp].open[lane] += 1);
    }

    /// Takes out the copies of the lanes `mask` but for those of each lane's last `groups` closed groups, and of the open
    /// one.
    pub(super) fn take(&mut self, warp: usize, mask: u32, groups: u32) -> Vec<Copy> {
        let open = self.warps[warp].open;
        self.take_those(warp, |UnderWay { group, copy, .. }| {
            mask >> copy.lane & 1 != 0 && open[copy.lane] - group > u64::from(groups)
        })
    }

    fn take_those(&mut self, warp: usize, lands: impl Fn(&UnderWay) -> bool) -> Vec<Copy> {
        let under_way = &mut self.warps[warp].under_way;
        let taken = under_way.iter().filter(|one| lands(one)).map(|one| one.copy).collect();
        under_way.retain(|one| !lands(one));
        taken
    }

    /// How many groups each lane of each warp has closed.
    pub(super) fn closed_groups(&self) -> impl Iterator<Item = &[u64; LANES]> {
        self.warps.iter().map(|warp| &warp.open)
    }

    /// Adds a bulk copy. One that there is no room for comes back.
    pub(super) fn add_bulk(&mut self, bulk: Bulk) -> Option<Bulk> {
        self.bulk_words += bulk.words.len();
        self.bulk.push_back(bulk);
        if self.bulk_words > MOST_BULK_WORDS { self.remove_bulk(0) } else { None }
    }

    fn remove_bulk(&mut self, index: usize) -> Option<Bulk> {
        let bulk = self.bulk.remove(index)?;
        self.bulk_words -= bulk.words.len();
        Some(bulk)
    }

    /// Takes out the oldest bulk copy for the barrier at `offset`.
    pub(super) fn take_bulk(&mut self, offset: usize) -> Option<Bulk> {
        let index = self.bulk.iter().position(|bulk| bulk.at.offset == offset)?;
        self.remove_bulk(index)
    }

    /// Has a thread arrive once its copies so far have landed.
    pub(super) fn arrive_after(&mut self, at: At) {
        self.arrivals.push_back((at, self.warps[at.warp].asked));
    }

    /// Takes out the oldest thread that arrives so at the barrier at `offset`, with the copies that it waits for.
    pub(super) fn take_arrival(&mut self, offset: usize) -> Option<(At, Vec<Copy>)> {
        let index = self.arrivals.iter().position(|(at, _)| at.offset == offset)?;
        let (at, before) = self.arrivals.remove(index)?;
        let copies = self.take_those(at.warp, |one| one.copy.lane == at.lane && one.number < before);
        Some((at, copies))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(lane: usize, to: usize) -> Copy {
        Copy { lane, to, bytes: 4, words: [0; 4], position: 0 }
    }

    #[test]
    fn a_copy_too_many_sends_the_oldest_on() {
        let mut copies = Copies::default();
        copies.reset(1);
        assert!((0..MOST_UNDER_WAY).all(|number| copies.add(0, copy(3, number)).is_none()));
        assert_eq!(copies.add(0, copy(3, 7)).map(|copy| copy.to), Some(0));
        copies.commit(0, 1 << 3);
        assert_eq!(copies.take(0, 1 << 3, 0).len(), MOST_UNDER_WAY);
    }

    #[test]
    fn a_lane_takes_its_own_groups_the_oldest_first() {
        let mut copies = Copies::default();
        copies.reset(1);
        for group in 0..3 {
            copies.add(0, copy(0, group));
            copies.add(0, copy(1, 10 + group));
            copies.commit(0, 1);
        }
        let taken = |copies: &mut Copies, mask, groups| -> Vec<usize> {
            copies.take(0, mask, groups).iter().map(|copy| copy.to).collect()
        };
        assert_eq!(taken(&mut copies, 0b11, 1), [0, 1]);
        assert_eq!(taken(&mut copies, 0b11, 0), [2]);
        copies.commit(0, 0b10);
        assert_eq!(taken(&mut copies, 0b11, 0), [10, 11, 12]);
    }
}
