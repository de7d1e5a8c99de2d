//! The dependence of a kernel's blocks on each other, by its instructions.

use crate::lower::listing::ListedInstruction;
use crate::module::kernel::Kernel;
use std::collections::HashSet;

/// The way in which blocks depend on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dependence {
    /// Not at all.
    None,
    /// They add to values of others, and do not see the sum.
    Adds,
    /// They may see what others do.
    Reads,
}

/// Returns how blocks of a kernel depend on others, as far as its instructions tell.
pub(super) fn dependence(kernel: &Kernel) -> Dependence {
    let instructions = || kernel.listing().blocks.iter().flatten();
    let read: HashSet<u32> = instructions()
        .flat_map(|one| {
            let address = one.address.and_then(|(base, _)| base);
            one.reads.iter().copied().chain(one.guard).chain(address)
        })
        .collect();
    let is_used = |one: &ListedInstruction| one.writes.iter().any(|register| read.contains(register));
    instructions().map(|one| dependence_of(&one.opcode, is_used(one))).max().unwrap_or(Dependence::None)
}

/// Returns the dependence by one instruction, whose result is used or not.
fn dependence_of(opcode: &str, is_used: bool) -> Dependence {
    const ORDERS: [&str; 6] = ["volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"];
    let words: Vec<&str> = opcode.split('.').collect();
    let is_shared = words.iter().any(|word| word.starts_with("shared"));
    match words[0] {
        "atom" if !is_shared && is_used => Dependence::Reads,
        "atom" | "red" if !is_shared => Dependence::Adds,
        "ld" | "st" if !is_shared && words.iter().any(|word| ORDERS.contains(word)) => Dependence::Reads,
        "cp" if words.contains(&"reduce") => Dependence::Adds,
        "multimem" => Dependence::Reads,
        _ => Dependence::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_depend_by_their_instructions() {
        let of = |opcode| dependence_of(opcode, opcode.starts_with("atom") || opcode.starts_with("ld"));
        assert_eq!(["ld.global.f32", "atom.shared.add.u32", "st.volatile.shared.u32"].map(of), [Dependence::None; 3]);
        assert_eq!(
            ["red.global.add.f32", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32"].map(of),
            [Dependence::Adds; 2]
        );
        assert_eq!(
            ["atom.global.add.u32", "ld.volatile.global.u32", "ld.acquire.gpu.u32"].map(of),
            [Dependence::Reads; 3]
        );
        assert_eq!(dependence_of("atom.global.add.u32", false), Dependence::Adds);
    }
}
