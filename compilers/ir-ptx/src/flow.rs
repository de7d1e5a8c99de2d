//! The control flow of a function: order, dominators, loops. Block 0 is the entry.

use crate::ir::tree::{Block, End, Function};
use std::collections::HashSet;

/// A natural loop.
pub(crate) struct Loop {
    pub(crate) header: usize,
    pub(crate) blocks: HashSet<usize>,
    /// The block before the loop, if it is the only one and dominates it.
    pub(crate) before: Option<usize>,
    /// The block that goes back, if it is the only one.
    pub(crate) latch: Option<usize>,
}

/// The control flow graph.
pub(crate) struct Flow {
    pub(crate) successors: Vec<Vec<usize>>,
    pub(crate) predecessors: Vec<Vec<usize>>,
    /// The reachable blocks: each after those that dominate it, and a loop's together.
    pub(crate) order: Vec<usize>,
    dominator: Vec<usize>,
    height: Vec<usize>,
    /// Outer loops before inner ones.
    pub(crate) loops: Vec<Loop>,
    depth: Vec<usize>,
}

const NONE: usize = usize::MAX;

/// Returns the reachable blocks, each after those that it leads to. Successors of less `rank` are visited first.
fn postorder(successors: &[Vec<usize>], rank: impl Fn(usize, usize) -> usize) -> Vec<usize> {
    let sorted = |block: usize| {
        let mut list = successors[block].clone();
        list.sort_by_key(|&next| rank(block, next));
        list.into_iter()
    };
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0, sorted(0))];
    seen[0] = true;
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next() {
            Some(next) if seen[next] => {}
            Some(next) => {
                seen[next] = true;
                stack.push((next, sorted(next)));
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

impl Flow {
    /// Analyzes a function without switches.
    pub(crate) fn from_function(function: &Function) -> Self {
        let successors = |block: &Block| match &block.end {
            End::Jump(to) => vec![*to],
            End::Branch(_, yes, no) => vec![*yes, *no],
            _ => Vec::new(),
        };
        Self::new(function.blocks.iter().map(successors).collect())
    }

    /// Analyzes the graph of these successors, of which there is at least the entry's.
    pub(crate) fn new(successors: Vec<Vec<usize>>) -> Self {
        let count = successors.len();
        let order: Vec<usize> = postorder(&successors, |_, _| 0).into_iter().rev().collect();
        let mut predecessors = vec![Vec::new(); count];
        for &block in &order {
            for &next in &successors[block] {
                if !predecessors[next].contains(&block) {
                    predecessors[next].push(block);
                }
            }
        }
        let dominator = vec![NONE; count];
        let height = vec![0; count];
        let depth = vec![0; count];
        let mut flow = Self { successors, predecessors, order, dominator, height, loops: Vec::new(), depth };
        flow.find_dominators();
        flow.find_loops();
        flow.arrange();
        flow
    }

    /// Puts what leaves a loop behind it, and of two blocks that stay the first directly behind.
    fn arrange(&mut self) {
        let depth = &self.depth;
        let rank = |block: usize, next: usize| if depth[next] < depth[block] { 0 } else { 1 + depth[next] };
        self.order = postorder(&self.successors, rank).into_iter().rev().collect();
    }

    fn find_dominators(&mut self) {
        let mut position = vec![0; self.successors.len()];
        self.order.iter().enumerate().for_each(|(at, &block)| position[block] = at);
        self.dominator[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &self.order[1..] {
                let mut best = NONE;
                for &before in &self.predecessors[block] {
                    if self.dominator[before] == NONE {
                        continue;
                    }
                    let mut a = before;
                    let mut b = if best == NONE { before } else { best };
                    while a != b {
                        if position[a] > position[b] { a = self.dominator[a] } else { b = self.dominator[b] }
                    }
                    best = a;
                }
                changed |= self.dominator[block] != best;
                self.dominator[block] = best;
            }
        }
        for &block in &self.order[1..] {
            self.height[block] = self.height[self.dominator[block]] + 1;
        }
    }

    /// Whether every way to `block` goes through `above`.
    pub(crate) fn dominates(&self, above: usize, mut block: usize) -> bool {
        while self.height[block] > self.height[above] {
            block = self.dominator[block];
        }
        block == above
    }

    /// Returns the block that directly dominates another; the entry for itself.
    pub(crate) fn above(&self, block: usize) -> usize {
        self.dominator[block]
    }

    /// Returns the nearest block that dominates both.
    pub(crate) fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if self.height[a] >= self.height[b] { a = self.dominator[a] } else { b = self.dominator[b] }
        }
        a
    }

    fn find_loops(&mut self) {
        for &header in &self.order {
            let goes_back = |block: &usize| self.dominates(header, *block);
            let latches: Vec<usize> = self.predecessors[header].iter().copied().filter(goes_back).collect();
            if latches.is_empty() {
                continue;
            }
            let mut blocks = HashSet::from([header]);
            let mut open = latches.clone();
            while let Some(block) = open.pop() {
                if blocks.insert(block) {
                    open.extend(&self.predecessors[block]);
                }
            }
            let outside: Vec<usize> =
                self.predecessors[header].iter().copied().filter(|block| !blocks.contains(block)).collect();
            let before = outside.first().copied().filter(|&one| outside.len() == 1 && self.dominates(one, header));
            let latch = latches.first().copied().filter(|_| latches.len() == 1);
            blocks.iter().for_each(|&block| self.depth[block] += 1);
            self.loops.push(Loop { header, blocks, before, latch });
        }
        self.loops.sort_by_key(|around| std::cmp::Reverse(around.blocks.len()));
    }

    /// Returns the number of loops around a block.
    pub(crate) fn depth(&self, block: usize) -> usize {
        self.depth[block]
    }

    /// Returns the loops around a block, the outermost first.
    pub(crate) fn loops_of(&self, block: usize) -> impl DoubleEndedIterator<Item = &Loop> {
        self.loops.iter().filter(move |around| around.blocks.contains(&block))
    }

    /// Returns the loop with this header.
    pub(crate) fn loop_at(&self, header: usize) -> Option<&Loop> {
        self.loops.iter().find(|around| around.header == header)
    }
}
