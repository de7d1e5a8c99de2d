//! The loops of a function.

use super::text::{label, labels};
use std::collections::BTreeSet;

/// The control-flow graph of a function. Blocks are numbered in the order of the text; the first is the entry.
#[derive(Debug)]
pub struct Graph {
    names: Vec<String>,
    successors: Vec<Vec<usize>>,
}

impl Graph {
    /// Parses the lines of a function.
    pub fn new(lines: &[&str]) -> Self {
        let mut names: Vec<String> = lines.iter().skip(1).filter_map(|line| label(line)).map(str::to_owned).collect();
        if lines.get(1).is_some_and(|first| label(first).is_none()) {
            names.insert(0, String::new());
        }
        let mut graph = Self { successors: vec![Vec::new(); names.len()], names };
        let mut block = 0;
        for line in &lines[1..] {
            block = label(line).and_then(|name| graph.block(name)).unwrap_or(block);
            let targets: Vec<usize> = labels(line).filter_map(|name| graph.block(name)).collect();
            graph.successors[block].extend(targets);
        }
        graph
    }

    /// Returns the block with a name.
    pub fn block(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// Returns the latches of the innermost loop around a block, which branch back to its head; `None` if the block is not in a
    /// loop.
    pub fn innermost_loop(&self, block: usize) -> Option<Vec<usize>> {
        let loops = (0..self.names.len()).filter_map(|head| {
            let dominates = |other: usize| other == head || !self.reachable(0, head).contains(&other);
            let goes_back = |&from: &usize| self.successors[from].contains(&head) && dominates(from);
            let latches: Vec<usize> = (0..self.names.len()).filter(goes_back).collect();
            let body: BTreeSet<usize> = latches.iter().flat_map(|&latch| self.reaching(latch, head)).collect();
            body.contains(&block).then_some((body.len(), latches))
        });
        loops.min().map(|(_, latches)| latches)
    }

    /// Returns the blocks that are reachable from `from` without passing `avoided`.
    fn reachable(&self, from: usize, avoided: usize) -> BTreeSet<usize> {
        closure(from, avoided, |block| self.successors[block].clone())
    }

    /// Returns the blocks from which `to` is reachable without passing `head`, including both.
    fn reaching(&self, to: usize, head: usize) -> BTreeSet<usize> {
        let predecessors =
            |block: usize| (0..self.names.len()).filter(move |&from| self.successors[from].contains(&block));
        let mut blocks = closure(to, head, |block| predecessors(block).collect());
        blocks.insert(head);
        blocks
    }
}

/// Returns the closure of `first` under `next`, without `avoided`.
fn closure(first: usize, avoided: usize, next: impl Fn(usize) -> Vec<usize>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![first];
    while let Some(block) = open.pop() {
        if block != avoided && found.insert(block) {
            open.extend(next(block));
        }
    }
    found
}
