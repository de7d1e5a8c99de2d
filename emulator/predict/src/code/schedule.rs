//! Orders the operations of a basic block as a list scheduler does: the one that can start first, and among those the one on
//! the longest path.

use super::operation::{Operation, Unit};
use crate::gpu::H200;
use std::collections::HashMap;

/// The number of operations from the first that is not yet scheduled among which the scheduler chooses.
///
/// This is the one number of this crate that was fitted: to the cycles that the same simulator needs for the machine code
/// that ptxas makes of problem A. No time of a GPU was used. Windows of 16 and 40 gave about the same.
const WINDOW: usize = 24;

/// The cycles after which the scheduler expects the result of a global load.
const EXPECTED_LOAD: u64 = 200;

/// The same for an atomic.
const EXPECTED_ATOMIC: u64 = 300;

/// The dependencies of the operations of a block.
#[derive(Default)]
struct Graph {
    /// For each operation, the later ones that depend on it, and the cycles between both.
    after: Vec<Vec<(usize, u64)>>,
    /// For each operation, the number of those on which it depends.
    before: Vec<usize>,
}

impl Graph {
    fn add(&mut self, from: usize, to: usize, cycles: u64) {
        if from != to {
            self.after[from].push((to, cycles));
            self.before[to] += 1;
        }
    }
}

/// Returns the operations in the order of issue.
pub(super) fn schedule(block: Vec<Operation>) -> Vec<Operation> {
    let order = order(&block, graph(&block));
    let mut operations: Vec<Option<Operation>> = block.into_iter().map(Some).collect();
    order.into_iter().filter_map(|index| operations[index].take()).collect()
}

/// Returns the cycles after which the scheduler expects the result of an operation.
fn expected_latency(operation: &Operation) -> u64 {
    let latency = &H200.latency;
    match operation.unit {
        Unit::None => 0,
        Unit::Shared => latency.shared,
        Unit::Load => EXPECTED_LOAD,
        Unit::Atomic => EXPECTED_ATOMIC,
        Unit::Shuffle => latency.shuffle,
        Unit::Special => operation.latency.max(latency.special),
        Unit::Constant => latency.constant,
        Unit::SpecialRegister => latency.special_register,
        Unit::Vote => latency.vote,
        Unit::Double => latency.double,
        _ => operation.latency,
    }
}

/// Returns the dependencies through registers and memory.
fn graph(block: &[Operation]) -> Graph {
    let mut graph = Graph { after: vec![Vec::new(); block.len()], before: vec![0; block.len()] };
    add_registers(block, &mut graph);
    add_memory(block, &mut graph);
    graph
}

fn add_registers(block: &[Operation], graph: &mut Graph) {
    let mut writer: HashMap<u32, usize> = HashMap::new();
    let mut readers: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, operation) in block.iter().enumerate() {
        for register in &operation.reads {
            if let Some(&from) = writer.get(register) {
                graph.add(from, index, expected_latency(&block[from]));
            }
        }
        for register in &operation.writes {
            if let Some(&from) = writer.get(register) {
                graph.add(from, index, if operation.is_guarded { expected_latency(&block[from]) } else { 1 });
            }
            readers.remove(register).into_iter().flatten().for_each(|from| graph.add(from, index, 0));
        }
        operation.reads.iter().for_each(|register| readers.entry(*register).or_default().push(index));
        operation.writes.iter().for_each(|register| {
            writer.insert(*register, index);
        });
    }
}

/// Adds the order of accesses to memory. Stores stay behind the loads before them, and loads behind the stores to the same
/// memory; nothing moves across a barrier or out of the block.
fn add_memory(block: &[Operation], graph: &mut Graph) {
    let mut last_store: Option<usize> = None;
    let mut last_fence: Option<usize> = None;
    let mut loads: Vec<usize> = Vec::new();
    let mut since_fence = 0;
    for (index, operation) in block.iter().enumerate() {
        if let Some(fence) = last_fence {
            graph.add(fence, index, 0);
        }
        let stores = operation.access.is_some_and(|access| access.stores);
        match operation.unit {
            _ if operation.is_fence() => {
                (since_fence..index).for_each(|from| graph.add(from, index, 0));
                (last_fence, since_fence) = (Some(index), index);
            }
            _ if stores => {
                loads.drain(..).for_each(|from| graph.add(from, index, 0));
                last_store.into_iter().for_each(|from| graph.add(from, index, 0));
                last_store = Some(index);
            }
            Unit::Shared | Unit::Load | Unit::Constant => {
                let is_same = |from: &usize| (block[*from].unit == Unit::Shared) == (operation.unit == Unit::Shared);
                last_store.filter(is_same).into_iter().for_each(|from| graph.add(from, index, 0));
                loads.push(index);
            }
            _ => {}
        }
    }
}

/// Returns the length of the longest path from each operation to the end of the block.
fn heights(block: &[Operation], graph: &Graph) -> Vec<u64> {
    let mut heights = vec![0; block.len()];
    for index in (0..block.len()).rev() {
        let least = u64::from(block[index].is_issued());
        let paths = graph.after[index].iter().map(|&(to, cycles)| heights[to] + cycles.max(least));
        heights[index] = paths.max().unwrap_or(0);
    }
    heights
}

fn order(block: &[Operation], mut graph: Graph) -> Vec<usize> {
    let heights = heights(block, &graph);
    let mut done = vec![false; block.len()];
    let mut earliest = vec![0; block.len()];
    let mut order = Vec::with_capacity(block.len());
    let mut first = 0;
    let mut now = 0;
    let mut free: [u64; 3] = [0; 3];
    while order.len() < block.len() {
        while done[first] {
            first += 1;
        }
        let window = first..block.len().min(first + WINDOW);
        let ready = window.filter(|&index| !done[index] && graph.before[index] == 0);
        let start = |index: usize| earliest[index].max(now).max(pipe(&block[index]).map_or(0, |pipe| free[pipe]));
        let key = |&index: &usize| {
            if block[index].is_issued() {
                (true, start(index), std::cmp::Reverse(heights[index]), index)
            } else {
                (false, 0, std::cmp::Reverse(0), index)
            }
        };
        // The first operation that is not done depends on done ones only, so there is always one.
        let Some(chosen) = ready.min_by_key(key) else { break };
        let at = if block[chosen].is_issued() { start(chosen) } else { earliest[chosen].max(now) };
        if block[chosen].is_issued() {
            now = at + 1;
            if let Some(pipe) = pipe(&block[chosen]) {
                free[pipe] = at + interval(pipe);
            }
        }
        done[chosen] = true;
        order.push(chosen);
        for (to, cycles) in std::mem::take(&mut graph.after[chosen]) {
            earliest[to] = earliest[to].max(at + cycles);
            graph.before[to] -= 1;
        }
    }
    order
}

/// Returns the number of the pipe of an operation, for those that take several cycles per operation.
fn pipe(operation: &Operation) -> Option<usize> {
    match operation.unit {
        Unit::Integer => Some(0),
        Unit::Multiply => Some(1),
        Unit::Special => Some(2),
        _ => None,
    }
}

/// Returns the cycles between two operations of a pipe.
fn interval(pipe: usize) -> u64 {
    [H200.interval.integer, H200.interval.multiply, H200.interval.special][pipe]
}
