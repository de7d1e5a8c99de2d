//! Splits: the groups of lanes of a warp that are at different positions, and their reconvergence.

use crate::lower::step::NOWHERE;

/// The reconvergence point of lanes in a subroutine. No step has this position.
const RETURN: u32 = NOWHERE - 1;

/// The state of a split: runnable, or the reason why it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// It is runnable.
    Ready,
    /// Its time slice is over. `polls`: it is in a loop that may wait for another lane.
    Yielded { polls: bool },
    /// It waits at barrier `number` of the block, for `threads` threads (0: all).
    Barrier { number: u32, threads: u32 },
    /// It waits for these lanes at a warp-level instruction. Those in `passed`, for the checks, have begun another round of a loop
    /// around it since.
    Lanes { members: u32, passed: u32 },
    /// It waits for the end of a phase of an mbarrier.
    Phase,
    /// It waits for the other warps of its warpgroup.
    Warpgroup,
    /// It waits at the barrier of the cluster.
    Cluster,
    /// It waits for registers that other warps return.
    Registers,
    /// It waits for this number of its child splits to reach its position.
    Reconvergence(u32),
}

/// Lanes of a warp that are at the same position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) position: u32,
    pub(crate) mask: u32,
    /// The position at which it ends and its parent continues.
    pub(crate) reconverge: u32,
    parent: Option<usize>,
    pub(crate) wait: Wait,
}

/// The splits of a warp, and the lanes that have not exited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Warp {
    pub(crate) splits: Vec<Option<Split>>,
    pub(crate) alive: u32,
    /// The number of registers per thread that it has set; `None` for as many as the launch reserves.
    pub(crate) registers: Option<u32>,
    /// The registers of callers that each lane has kept, if there were such calls.
    pub(crate) kept: Vec<Vec<u64>>,
}

impl Warp {
    /// Starts the lanes `mask` at the first step.
    pub(crate) fn start(&mut self, mask: u32) {
        (self.alive, self.registers) = (mask, None);
        self.kept.clear();
        self.splits.clear();
        self.splits.push(Some(Split { position: 0, mask, reconverge: NOWHERE, parent: None, wait: Wait::Ready }));
    }

    /// Returns the splits with their numbers.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, &Split)> {
        self.splits.iter().enumerate().filter_map(|(index, split)| split.as_ref().map(|split| (index, split)))
    }

    /// Adds a split and returns its number.
    fn add(&mut self, split: Split) -> usize {
        let index = self.splits.iter().position(Option::is_none).unwrap_or(self.splits.len());
        match self.splits.get_mut(index) {
            Some(slot) => *slot = Some(split),
            None => self.splits.push(Some(split)),
        }
        index
    }

    /// Calls subroutines at these positions with these lanes of a split. It continues at `next` when all have returned.
    pub(crate) fn call(&mut self, index: usize, targets: &[(u32, u32)], next: u32) {
        let Some(split) = &mut self.splits[index] else { return };
        (split.position, split.wait) = (next, Wait::Reconvergence(targets.len() as u32));
        for &(position, mask) in targets {
            self.add(Split { position, mask, reconverge: RETURN, parent: Some(index), wait: Wait::Ready });
        }
    }

    /// Removes the lanes `leaving` from a split, because they return to the caller.
    pub(crate) fn leave_call(&mut self, index: usize, leaving: u32) {
        if let Some(split) = &mut self.splits[index] {
            split.mask &= !leaving;
            if split.mask == 0 {
                self.finish(index);
            }
        }
    }

    /// Divides a split at a divergent branch: the lanes `taken` continue at `target`, the others at `next`, and all
    /// reconverge at `reconverge`. Returns the number of the split at `next`, unless that is where they reconverge.
    pub(crate) fn diverge(
        &mut self,
        index: usize,
        taken: u32,
        target: u32,
        next: u32,
        reconverge: u32,
    ) -> Option<usize> {
        let split = self.splits[index].as_mut()?;
        let sides = [(next, split.mask & !taken), (target, taken)];
        if reconverge == NOWHERE || split.reconverge == reconverge {
            // They reconverge where this split ends anyway; lanes that are there already have arrived.
            let parent = split.parent;
            let (stays, leaves) = if next == reconverge { (sides[1], sides[0]) } else { (sides[0], sides[1]) };
            (split.position, split.mask) = stays;
            if leaves.0 != reconverge {
                let outer = split.reconverge;
                self.add(Split { position: leaves.0, mask: leaves.1, reconverge: outer, parent, wait: Wait::Ready });
                self.expect_children(parent, 1);
            }
            return (next != reconverge).then_some(index);
        }
        split.position = reconverge;
        split.wait = Wait::Reconvergence(0);
        let child = |(position, mask)| Split { position, mask, reconverge, parent: Some(index), wait: Wait::Ready };
        let [at_next, _] = sides.map(|side| {
            let arrived = side.0 == reconverge;
            (!arrived).then(|| {
                self.expect_children(Some(index), 1);
                self.add(child(side))
            })
        });
        at_next
    }

    fn expect_children(&mut self, parent: Option<usize>, more: u32) {
        if let Some(Split { wait: Wait::Reconvergence(count), .. }) =
            parent.and_then(|index| self.splits[index].as_mut())
        {
            *count += more;
        }
    }

    /// Ends a split that has reached its reconvergence point; the last child wakes its parent. Returns the number of the split
    /// that it wakes.
    pub(crate) fn finish(&mut self, index: usize) -> Option<usize> {
        let parent = self.splits[index].take()?.parent?;
        let alive = self.alive;
        let waiting = self.splits[parent].as_mut()?;
        let Wait::Reconvergence(count) = &mut waiting.wait else { return None };
        *count -= 1;
        if *count > 0 {
            return None;
        }
        waiting.wait = Wait::Ready;
        waiting.mask &= alive;
        if waiting.mask == 0 { self.finish(parent) } else { Some(parent) }
    }

    /// Releases the lanes that wait for split `index` at the end of its innermost branch, and returns whether there are
    /// any. They reconverge with the split at the end of the enclosing branch.
    pub(crate) fn run_ahead_of(&mut self, index: usize) -> bool {
        let mut inner = index;
        while let Some(parent) = self.splits[inner].and_then(|split| split.parent) {
            let children = self.each().filter(|(_, split)| split.parent == Some(parent));
            let not_arrived = children.fold(0, |mask, (_, split)| mask | split.mask);
            let Some(waiting) = &self.splits[parent] else { return false };
            let arrived = waiting.mask & self.alive & !not_arrived;
            if arrived != 0 {
                self.send_ahead(parent, arrived);
                return true;
            }
            inner = parent;
        }
        false
    }

    /// Releases lanes that only wait to reconverge, and returns whether there are any. PTX does not guarantee
    /// reconvergence, and the lanes that they wait for may depend on their progress.
    pub(crate) fn skip_reconvergence(&mut self) -> bool {
        let waiting = |split: &Split| matches!(split.wait, Wait::Reconvergence(_));
        let not_arrived =
            self.each().filter(|(_, split)| !waiting(split)).fold(0, |mask, (_, split)| mask | split.mask);
        let arrived = |split: &Split| if waiting(split) { split.mask & self.alive & !not_arrived } else { 0 };
        // The innermost of them has the fewest lanes, because a split includes the lanes of its children.
        let innermost =
            self.each().filter(|(_, split)| arrived(split) != 0).min_by_key(|(_, split)| split.mask.count_ones());
        let Some((index, arrived)) = innermost.map(|(index, split)| (index, arrived(split))) else { return false };
        self.send_ahead(index, arrived);
        true
    }

    /// Releases the lanes `arrived` of a waiting split. They reconverge with its other lanes at the end of the enclosing
    /// branch.
    fn send_ahead(&mut self, index: usize, arrived: u32) {
        let Some(waiting) = &mut self.splits[index] else { return };
        let ahead = Split { mask: arrived, wait: Wait::Ready, ..*waiting };
        waiting.mask &= !arrived;
        self.add(ahead);
        self.expect_children(ahead.parent, 1);
    }

    /// Removes the exiting lanes `leaving` from a split.
    pub(crate) fn exit(&mut self, index: usize, leaving: u32) {
        self.alive &= !leaving;
        self.leave_call(index, leaving);
    }
}
