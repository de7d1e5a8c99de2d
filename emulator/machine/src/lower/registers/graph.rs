//! A list scheduler.

use super::operation::{Operation, Order, SPACES};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The dependencies between operations.
pub(super) struct Graph {
    after: Vec<Vec<u32>>,
    before: Vec<u32>,
}

impl Graph {
    pub(super) fn new(operations: &[Operation]) -> Self {
        let mut graph = Self { after: vec![Vec::new(); operations.len()], before: vec![0; operations.len()] };
        graph.add_registers(operations);
        graph.add_memory(operations);
        graph
    }

    fn add(&mut self, from: usize, to: usize) {
        if from != to {
            self.after[from].push(to as u32);
            self.before[to] += 1;
        }
    }

    fn add_registers(&mut self, operations: &[Operation]) {
        // For each register, the last operation that writes it, and those that have read it since.
        let mut last: FxHashMap<u32, (Option<usize>, Vec<usize>)> = FxHashMap::default();
        for (index, operation) in operations.iter().enumerate() {
            for &register in &operation.reads {
                let (writer, readers) = last.entry(register).or_default();
                readers.push(index);
                writer.iter().for_each(|&writer| self.add(writer, index));
            }
            for &register in &operation.writes {
                let (writer, readers) = last.insert(register, (Some(index), Vec::new())).unwrap_or_default();
                readers.into_iter().chain(writer).for_each(|before| self.add(before, index));
            }
        }
    }

    fn add_memory(&mut self, operations: &[Operation]) {
        let (mut fence, mut store, mut loads) = (None, [None; SPACES], [const { Vec::new() }; SPACES]);
        for (index, operation) in operations.iter().enumerate() {
            let spaces = match operation.order {
                Order::None => continue,
                Order::Load(space) | Order::Store(space) => space..space + 1,
                Order::Fence => 0..SPACES,
            };
            fence.iter().for_each(|&before| self.add(before, index));
            for space in spaces {
                store[space].iter().for_each(|&before| self.add(before, index));
                if let Order::Load(_) = operation.order {
                    loads[space].push(index);
                } else {
                    loads[space].drain(..).for_each(|before| self.add(before, index));
                    store[space] = Some(index);
                }
            }
            if operation.order == Order::Fence {
                fence = Some(index);
            }
        }
    }

    /// Returns the order of a list scheduler: the operation that can start first, and among those the one on the longest path.
    pub(super) fn order(&self, operations: &[Operation], window: usize) -> Vec<usize> {
        let count = operations.len();
        let mut height = vec![0; count];
        for index in (0..count).rev() {
            let longest = self.after[index].iter().map(|&after| height[after as usize]).max();
            height[index] = operations[index].latency + longest.unwrap_or(0);
        }
        let mut queue =
            Queue { earliest: vec![0; count], height, now: 0, waiting: BinaryHeap::new(), ready: BinaryHeap::new() };
        let (mut before, mut done) = (self.before.clone(), vec![false; count]);
        let mut order = Vec::with_capacity(count);
        let mut first = 0;
        let mut end = 0;
        // The first operation that is not done depends on done ones only, so the queue is never empty.
        while order.len() < count {
            while done[first] {
                first += 1;
            }
            let new = end..count.min(first.saturating_add(window));
            end = new.end;
            new.filter(|&index| before[index] == 0).for_each(|index| queue.push(index));
            let Some(chosen) = queue.pop() else { break };
            done[chosen] = true;
            order.push(chosen);
            for &after in &self.after[chosen] {
                let after = after as usize;
                before[after] -= 1;
                queue.earliest[after] = queue.earliest[after].max(queue.now + operations[chosen].latency);
                if before[after] == 0 && after < end {
                    queue.push(after);
                }
            }
            queue.now += 1;
        }
        order
    }
}

/// The operations that can be scheduled.
struct Queue {
    /// For each operation, the cycle in which its sources are available.
    earliest: Vec<u64>,
    /// For each operation, the length of the longest path to the end.
    height: Vec<u64>,
    now: u64,
    /// The operations that wait for sources, the earliest first.
    waiting: BinaryHeap<Reverse<(u64, Reverse<u64>, usize)>>,
    /// The other ready steps, longest path first.
    ready: BinaryHeap<(u64, Reverse<usize>)>,
}

impl Queue {
    fn push(&mut self, index: usize) {
        self.waiting.push(Reverse((self.earliest[index], Reverse(self.height[index]), index)));
    }

    /// Takes the operation that can start first, and advances to its cycle.
    fn pop(&mut self) -> Option<usize> {
        if let (true, Some(&Reverse((cycle, ..)))) = (self.ready.is_empty(), self.waiting.peek()) {
            self.now = self.now.max(cycle);
        }
        while let Some(&Reverse((_, Reverse(height), index))) = self.waiting.peek().filter(|one| one.0.0 <= self.now) {
            self.waiting.pop();
            self.ready.push((height, Reverse(index)));
        }
        self.ready.pop().map(|(_, Reverse(index))| index)
    }
}
