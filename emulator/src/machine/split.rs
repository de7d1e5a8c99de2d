//! The lanes of a warp that are at different places: splits, and how they meet again.

use crate::lower::step::NOWHERE;

/// Why a split does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// It runs.
    Ready,
    /// It had its turn; others go first. `polls`: it is in a loop that may wait for what another lane does.
    Yielded { polls: bool },
    /// At a barrier of the block: its number, and the threads it is for (0: all).
    Barrier { number: u32, threads: u32 },
    /// At an instruction that needs these lanes.
    Lanes { members: u32 },
    /// For the end of a phase of a barrier in shared memory.
    Phase,
    /// For this number of its parts to reach its position.
    Parts(u32),
}

/// Lanes of a warp that are at the same position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) position: u32,
    pub(crate) mask: u32,
    /// Where it ends and its parent goes on.
    pub(crate) reconverge: u32,
    parent: Option<usize>,
    pub(crate) wait: Wait,
}

/// A warp: its splits, and the lanes that have not exited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Warp {
    pub(crate) splits: Vec<Option<Split>>,
    pub(crate) alive: u32,
}

impl Warp {
    /// Starts all of `mask` at the first step.
    pub(crate) fn start(&mut self, mask: u32) {
        self.alive = mask;
        self.splits.clear();
        self.splits.push(Some(Split { position: 0, mask, reconverge: NOWHERE, parent: None, wait: Wait::Ready }));
    }

    /// The splits that exist, with their numbers.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, &Split)> {
        self.splits.iter().enumerate().filter_map(|(index, split)| split.as_ref().map(|split| (index, split)))
    }

    fn add(&mut self, split: Split) {
        match self.splits.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => *slot = Some(split),
            None => self.splits.push(Some(split)),
        }
    }

    /// Parts the lanes of a split at a branch: `taken` go to `target`, the others to `next`, and all meet
    /// at `reconverge`.
    pub(crate) fn part(&mut self, index: usize, taken: u32, target: u32, next: u32, reconverge: u32) {
        let Some(split) = &mut self.splits[index] else { return };
        let sides = [(next, split.mask & !taken), (target, taken)];
        if reconverge == NOWHERE || split.reconverge == reconverge {
            // They meet where this split ends anyway; lanes that are there already have arrived.
            let parent = split.parent;
            let (stays, leaves) = if next == reconverge { (sides[1], sides[0]) } else { (sides[0], sides[1]) };
            (split.position, split.mask) = stays;
            if leaves.0 != reconverge {
                let outer = split.reconverge;
                self.add(Split { position: leaves.0, mask: leaves.1, reconverge: outer, parent, wait: Wait::Ready });
                self.expect_parts(parent, 1);
            }
            return;
        }
        split.position = reconverge;
        split.wait = Wait::Parts(0);
        for (position, mask) in sides {
            if position != reconverge {
                self.add(Split { position, mask, reconverge, parent: Some(index), wait: Wait::Ready });
                self.expect_parts(Some(index), 1);
            }
        }
    }

    fn expect_parts(&mut self, parent: Option<usize>, more: u32) {
        if let Some(Split { wait: Wait::Parts(count), .. }) = parent.and_then(|index| self.splits[index].as_mut()) {
            *count += more;
        }
    }

    /// Ends a split that reached the end of its path; the last part wakes its parent.
    pub(crate) fn finish(&mut self, index: usize) {
        let Some(split) = self.splits[index].take() else { return };
        let Some(parent) = split.parent else { return };
        let alive = self.alive;
        let Some(waiting) = &mut self.splits[parent] else { return };
        if let Wait::Parts(count) = &mut waiting.wait {
            *count -= 1;
            if *count == 0 {
                waiting.wait = Wait::Ready;
                waiting.mask &= alive;
                if waiting.mask == 0 {
                    self.finish(parent);
                }
            }
        }
    }

    /// Lets the lanes go on that wait for split `index` where its innermost branch ends; true if there are any. They
    /// and the split meet where the branch around that one ends.
    pub(crate) fn go_ahead_of(&mut self, index: usize) -> bool {
        let mut inner = index;
        while let Some(parent) = self.splits[inner].and_then(|split| split.parent) {
            let parts = self.each().filter(|(_, split)| split.parent == Some(parent));
            let on_their_way = parts.fold(0, |mask, (_, split)| mask | split.mask);
            let Some(waiting) = &self.splits[parent] else { return false };
            let arrived = waiting.mask & self.alive & !on_their_way;
            if arrived != 0 {
                self.send_ahead(parent, arrived);
                return true;
            }
            inner = parent;
        }
        false
    }

    /// Lets lanes that wait only to meet others go on without them; false if there are none. Meeting is a help to
    /// speed and no promise of PTX: those whom they wait for may need them further on.
    pub(crate) fn go_on_apart(&mut self) -> bool {
        let waiting = |split: &Split| matches!(split.wait, Wait::Parts(_));
        let under_way = self.each().filter(|(_, split)| !waiting(split)).fold(0, |mask, (_, split)| mask | split.mask);
        let arrived = |split: &Split| if waiting(split) { split.mask & self.alive & !under_way } else { 0 };
        // The innermost of them: a split holds the lanes of its parts.
        let innermost =
            self.each().filter(|(_, split)| arrived(split) != 0).min_by_key(|(_, split)| split.mask.count_ones());
        let Some((index, arrived)) = innermost.map(|(index, split)| (index, arrived(split))) else { return false };
        self.send_ahead(index, arrived);
        true
    }

    /// Lets the lanes `arrived` of a waiting split go on; they meet its others where the branch around it ends.
    fn send_ahead(&mut self, index: usize, arrived: u32) {
        let Some(waiting) = &mut self.splits[index] else { return };
        let ahead = Split { mask: arrived, wait: Wait::Ready, ..*waiting };
        waiting.mask &= !arrived;
        self.add(ahead);
        self.expect_parts(ahead.parent, 1);
    }

    /// Ends the lanes `leaving` of a split.
    pub(crate) fn exit(&mut self, index: usize, leaving: u32) {
        self.alive &= !leaving;
        if let Some(split) = &mut self.splits[index] {
            split.mask &= !leaving;
            if split.mask == 0 {
                self.finish(index);
            }
        }
    }
}
