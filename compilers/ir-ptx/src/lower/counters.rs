//! Counters that count the same: unrolling leaves one of its own beside that of the source. Both start alike and move on by
//! the same step, so that one is enough.

use super::copies::substitute;
use crate::ir::tree::{Function, Id, Operation, Value};
use crate::ir::types::Type;
use std::collections::HashMap;

/// A counter of a loop: its phi, and the addition behind it in the block that goes back.
struct Counter {
    phi: Id,
    next: Id,
    /// The block of the addition, and its place there.
    at: (usize, usize),
    start: Value,
    /// The block before the loop.
    before: usize,
    step: Value,
    ty: Type,
}

/// Merges the counters of each loop.
pub(crate) fn merge(function: &mut Function) {
    for block in 0..function.blocks.len() {
        while merge_two(function, block) {}
    }
}

/// Merges two counters of a loop; false if no two are the same.
fn merge_two(function: &mut Function, block: usize) -> bool {
    let counters = counters(function, block);
    for (number, other) in counters.iter().enumerate() {
        let is_same = |kept: &&Counter| {
            let a = *kept;
            let b = other;
            (a.at.0, &a.start, a.before, &a.step, &a.ty) == (b.at.0, &b.start, b.before, &b.step, &b.ty)
        };
        let Some(kept) = counters[..number].iter().find(is_same) else { continue };
        // The sum is there before all uses of either.
        if kept.at.1 > other.at.1 {
            let moved = function.blocks[kept.at.0].body.remove(kept.at.1);
            function.blocks[kept.at.0].body.insert(other.at.1, moved);
        }
        let sources = [(other.phi, Value::Local(kept.phi)), (other.next, Value::Local(kept.next))];
        substitute(function, &HashMap::from(sources));
        return true;
    }
    false
}

/// Returns the counters with phis in a block; those first that promise something about their sums.
fn counters(function: &Function, block: usize) -> Vec<Counter> {
    let mut counters = Vec::new();
    for inst in &function.blocks[block].body {
        let (Operation::Phi { ty, from }, &[phi]) = (&inst.operation, &inst.results[..]) else { continue };
        let [a, b] = &from[..] else { continue };
        for ((start, before), (next, _)) in [(a, b), (b, a)] {
            if let Value::Local(next) = next
                && let Some((at, step, promises)) = sum(function, phi, *next)
            {
                let start = start.clone();
                let before = *before;
                let ty = ty.clone();
                counters.push((!promises, Counter { phi, next: *next, at, start, before, step, ty }));
            }
        }
    }
    counters.sort_by_key(|(without, _)| *without);
    counters.into_iter().map(|(_, counter)| counter).collect()
}

/// Returns where a constant is added to a phi, the constant, and whether the addition is known not to overflow.
fn sum(function: &Function, phi: Id, next: Id) -> Option<((usize, usize), Value, bool)> {
    for (at, block) in function.blocks.iter().enumerate() {
        let Some(place) = block.body.iter().position(|inst| inst.results == [next]) else { continue };
        let Operation::Row { row, flags, operands, .. } = &block.body[place].operation else { return None };
        let [(_, Value::Local(of)), (_, step @ Value::Integer(_))] = &operands[..] else { return None };
        return (row.name == "add" && *of == phi).then(|| ((at, place), step.clone(), flags.nsw || flags.nuw));
    }
    None
}
