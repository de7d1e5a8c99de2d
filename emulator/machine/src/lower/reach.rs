//! The way of a loaded value through registers, and its last use.

use super::listing::{ListedInstruction, Listing};
use std::collections::{BTreeSet, HashMap};

/// The instructions whose results depend on the operands of other lanes.
const EXCHANGES: [&str; 8] = ["shfl", "vote", "match", "redux", "mma", "wmma", "bar", "barrier"];

/// The use of a loaded value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Whether it is an operand of a compare-and-swap, which notices an outdated value.
    swaps: bool,
    /// Whether it becomes an address or a part of one, is stored elsewhere than in shared memory, or leaves its registers in
    /// another way.
    used: bool,
    /// Whether a load or store takes it, or what is computed from it, as an address.
    pub(crate) addresses: bool,
    /// The stores to shared memory that store it, or what is computed from it: the numbers of the instructions, and the elements.
    stores: BTreeSet<(u32, u8)>,
    /// Whether it is an operand of an atomic, or other lanes of the warp receive it.
    shared_out: bool,
    /// Whether a branch or a predicated instruction depends on it.
    decides: bool,
    /// Whether it may pass through memory that the analysis does not follow.
    unknown: bool,
    /// Whether an atomic can follow the load.
    before_atomic: bool,
}

impl Reach {
    /// Returns whether the kernel relies on a plainly loaded value that an atomic of another thread may change meanwhile. It does
    /// not if a compare-and-swap notices the change, or if the value only decides which atomic follows, as with a look before
    /// an `atomicMin`.
    pub(crate) fn is_relied_on(&self) -> bool {
        let used = self.used || !self.stores.is_empty();
        !self.swaps && !self.unknown && (used || self.decides && !self.before_atomic)
    }

    /// Returns whether nothing is done with the value but to store it, or what is computed from it, in shared memory.
    pub(crate) fn is_only_stored(&self) -> bool {
        let elsewhere = self.swaps || self.used || self.decides || self.unknown || self.shared_out;
        !elsewhere && !self.stores.is_empty()
    }

    /// Returns whether an element of the store with this number may have the value.
    pub(crate) fn is_stored_by(&self, number: u32, element: u8) -> bool {
        self.stores.contains(&(number, element))
    }

    /// Follows what an instruction does with the registers that contain the value.
    fn follow(&mut self, instruction: &ListedInstruction, holding: &mut BTreeSet<u32>) {
        let name = instruction.opcode.split('.').next().unwrap_or_default();
        let is_guarded = instruction.guard.is_some_and(|guard| holding.contains(&guard));
        let is_read = instruction.reads.iter().any(|read| holding.contains(read));
        let is_atomic = matches!(name, "atom" | "red");
        self.decides |= is_guarded;
        let base = instruction.address.and_then(|(base, _)| base);
        let is_address = base.is_some_and(|base| holding.contains(&base));
        self.addresses |= is_address;
        self.shared_out |= is_read && (is_atomic || EXCHANGES.contains(&name));
        if is_read {
            match name {
                "call" => self.unknown = true,
                "st" if instruction.is_argument || instruction.opcode.contains(".local") => self.unknown = true,
                "st" if instruction.opcode.contains(".shared") && !is_address => {
                    let values = instruction.reads.iter().skip(usize::from(base.is_some()));
                    let stored = (0..).zip(values).filter(|(_, value)| holding.contains(value));
                    self.stores.extend(stored.map(|(element, _)| (instruction.number, element)));
                }
                "atom" if instruction.opcode.contains(".cas") => self.swaps = true,
                "ld" => self.used = true,
                _ => self.used |= instruction.writes.is_empty() && !is_atomic,
            }
        }
        let is_result = is_guarded || is_read && name != "ld" && !is_atomic;
        for written in &instruction.writes {
            if is_result {
                holding.insert(*written);
            } else if instruction.guard.is_none() {
                holding.remove(written);
            }
        }
    }
}

/// Returns what becomes of the values that the instruction with this number loads.
pub(super) fn reach(listing: &Listing, number: u32) -> Reach {
    let mut reach = Reach::default();
    let in_block = |block: &Vec<ListedInstruction>| block.iter().position(|instruction| instruction.number == number);
    let place = listing.blocks.iter().enumerate().find_map(|(block, all)| Some((block, in_block(all)?)));
    let Some((block, index)) = place else { return Reach { unknown: true, ..reach } };
    let loaded = listing.blocks[block][index].writes.iter().copied().collect();
    // The registers that contain the value at the start of each block that can follow.
    let mut known: HashMap<usize, BTreeSet<u32>> = HashMap::new();
    let mut pending: Vec<(usize, usize, BTreeSet<u32>)> = vec![(block, index + 1, loaded)];
    while let Some((block, first, mut holding)) = pending.pop() {
        for instruction in &listing.blocks[block][first..] {
            reach.before_atomic |= instruction.opcode.starts_with("atom.") || instruction.opcode.starts_with("red.");
            reach.follow(instruction, &mut holding);
        }
        for &next in &listing.successors[block] {
            let is_new = !known.contains_key(&next);
            let there = known.entry(next).or_default();
            let before = there.len();
            there.extend(&holding);
            if is_new || there.len() > before {
                pending.push((next, 0, there.clone()));
            }
        }
    }
    reach
}
