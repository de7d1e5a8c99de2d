//! Branches around a few instructions, in whose place ptxas executes those under a predicate. They then take part in the order of the
//! code around them: two loads, each behind its own condition, are under way at the same time.

use super::operation::{Operation, Unit};
use emulator::{ListedInstruction, Listing};

/// The most PTX instructions that are executed under a predicate in place of a branch (assumed; ptxas 13.0 did so with up to
/// seven instructions in the kernels that were looked at).
const MOST: usize = 6;

/// For each basic block, the first of those that are one block of operations with it; itself if it stands alone.
pub(crate) type Heads = Vec<usize>;

/// Returns which basic blocks become one.
pub(super) fn heads(listing: &Listing) -> Heads {
    let count = listing.blocks.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (block, successors) in listing.successors.iter().enumerate() {
        successors.iter().filter(|next| **next < count).for_each(|next| before[*next].push(block));
    }
    let mut heads: Heads = (0..count).collect();
    for block in 1..count.saturating_sub(1) {
        let (from, next) = (block - 1, block + 1);
        let branches = listing.blocks[from].last().is_some_and(|last| is_branch(last) && last.guard.is_some());
        let mut around = listing.successors[from].clone();
        around.sort_unstable();
        let is_skipped = branches && around == [block, next] && before[block] == [from];
        if is_skipped && listing.successors[block] == [next] && is_simple(&listing.blocks[block]) {
            heads[block] = heads[from];
            if before[next].len() == 2 {
                heads[next] = heads[from];
            }
        }
    }
    heads
}

/// Returns the blocks of operations: those that become one with another, in its place.
pub(super) fn merge(listing: &Listing, heads: &Heads, selected: Vec<Vec<Operation>>) -> Vec<Vec<Operation>> {
    let mut merged: Vec<Vec<Operation>> = vec![Vec::new(); selected.len()];
    for (block, operations) in selected.into_iter().enumerate() {
        let is_skipped = heads.get(block + 1) == Some(&heads[block]) && ends_in_branch(listing, block);
        let follows_branch = block > 0 && heads[block] == heads[block - 1] && ends_in_branch(listing, block - 1);
        let guard =
            listing.blocks[block.saturating_sub(1)].last().and_then(|last| last.guard).filter(|_| follows_branch);
        let kept = operations.into_iter().filter(|operation| !(is_skipped && operation.unit == Unit::Branch));
        merged[heads[block]].extend(kept.map(|mut operation| {
            operation.reads.extend(guard);
            operation.is_guarded |= guard.is_some();
            operation
        }));
    }
    merged
}

fn ends_in_branch(listing: &Listing, block: usize) -> bool {
    listing.blocks[block].last().is_some_and(is_branch)
}

fn is_branch(instruction: &ListedInstruction) -> bool {
    instruction.opcode.split('.').next() == Some("bra")
}

fn is_simple(block: &[ListedInstruction]) -> bool {
    const OTHERS: [&str; 10] = ["bra", "bar", "barrier", "call", "ret", "exit", "atom", "red", "shfl", "trap"];
    let is_other = |one: &ListedInstruction| OTHERS.contains(&one.opcode.split('.').next().unwrap_or_default());
    block.len() <= MOST && !block.iter().any(is_other)
}
