//! The places of values in machine code.

use super::operation::{Operation, Order, latency, name};
use crate::lower::listing::{ListedInstruction, Listing, RegisterFile};

/// The largest number of passes over a kernel that look for uniform values. Real kernels need two or three.
const PASSES: usize = 8;

/// The place of each virtual register in machine code.
pub(super) struct Values {
    /// The virtual register that represents it.
    root: Vec<u32>,
    /// The number of 32-bit registers.
    width: Vec<u32>,
}

/// The number of instructions that write a virtual register, and that read it: all, as the address of an access, in a sum of
/// addresses.
#[derive(Clone, Copy, Default)]
struct Count {
    writes: u32,
    reads: u32,
    as_address: u32,
    in_sum: u32,
}

impl Values {
    /// Places the values. With `has_uniform`, those that are the same for all threads of a block need no registers.
    pub(super) fn new(listing: &Listing, has_uniform: bool) -> Self {
        let counts = counts(listing);
        let width = |file: &RegisterFile| match file {
            RegisterFile::Narrow => 1,
            RegisterFile::Wide => 2,
            RegisterFile::Predicate => 0,
        };
        let root = (0..listing.registers.len() as u32).collect();
        let mut values = Self { root, width: listing.registers.iter().map(width).collect() };
        let varying = if has_uniform { varying(listing) } else { Vec::new() };
        for (register, varies) in varying.into_iter().enumerate() {
            if !varies && counts[register].writes > 0 {
                values.width[register] = 0;
            }
        }
        listing.blocks.iter().flatten().for_each(|instruction| values.fold(instruction, &counts));
        values
    }

    /// Gives the result of an instruction that machine code does not need no register of its own.
    fn fold(&mut self, instruction: &ListedInstruction, counts: &[Count]) {
        let &[result] = instruction.writes.as_slice() else { return };
        let of_result = counts[result as usize];
        if of_result.writes != 1 || instruction.guard.is_some() {
            return;
        }
        let opcode = instruction.opcode.as_str();
        let is_once = |register: u32| counts[register as usize].writes == 1;
        let shares = match (name(opcode), instruction.reads.as_slice()) {
            ("mov", []) if !instruction.reads_special => {
                self.width[result as usize] = 0;
                return;
            }
            ("mov" | "cvta", &[source]) => instruction.literal.is_none() && is_once(source),
            ("cvt", &[source]) => !opcode.contains(".f") && is_once(source),
            ("add" | "sub", &[_]) => instruction.literal.is_some() && of_result.reads == of_result.as_address,
            ("mul" | "shl", &[source]) => {
                let scales = opcode.starts_with("mul.wide") || opcode == "shl.b64";
                scales && of_result.reads == of_result.in_sum && is_once(source)
            }
            _ => false,
        };
        if let (true, &[source]) = (shares, instruction.reads.as_slice()) {
            self.root[result as usize] = self.root[source as usize];
        }
    }

    /// Returns the operations of a block. Folded instructions have none.
    pub(super) fn operations(&self, block: &[ListedInstruction]) -> Vec<Operation> {
        let registers = |list: &[u32]| {
            let roots = list.iter().map(|&register| self.root[register as usize]);
            let mut registers: Vec<u32> = roots.filter(|&root| self.width[root as usize] > 0).collect();
            registers.sort_unstable();
            registers.dedup();
            registers
        };
        let is_folded =
            |one: &ListedInstruction| matches!(one.writes[..], [result] if self.root[result as usize] != result);
        let operation = |one: &ListedInstruction| Operation {
            reads: registers(&one.reads),
            writes: registers(&one.writes),
            keeps_old: one.guard.is_some(),
            order: Order::new(one),
            latency: latency(&one.opcode),
            is_branch: name(&one.opcode) == "bra",
        };
        let counts = |one: &Operation| one.order != Order::None || !one.reads.is_empty() || !one.writes.is_empty();
        block.iter().filter(|one| !is_folded(one)).map(operation).filter(counts).collect()
    }

    /// Returns the most registers that are live at once in this order of operations. `after` are live at its end. None is
    /// marked in `is_live` before and after the call.
    pub(super) fn peak(&self, operations: &[Operation], order: &[usize], after: &[u32], is_live: &mut [bool]) -> u32 {
        let width = |register: u32| self.width[register as usize];
        let mut change = |register: u32, to: bool| {
            let changes = std::mem::replace(&mut is_live[register as usize], to) != to;
            if changes { width(register) } else { 0 }
        };
        let mut now: u32 = after.iter().map(|&register| change(register, true)).sum();
        let mut peak = now;
        for &index in order.iter().rev() {
            let operation = &operations[index];
            // A result that nothing reads needs a register, too.
            now += operation.writes.iter().map(|&register| change(register, true)).sum::<u32>();
            peak = peak.max(now);
            if !operation.keeps_old {
                now -= operation.writes.iter().map(|&register| change(register, false)).sum::<u32>();
            }
            now += operation.reads.iter().map(|&register| change(register, true)).sum::<u32>();
            peak = peak.max(now);
        }
        let touched = operations.iter().flat_map(|operation| operation.reads.iter().chain(&operation.writes));
        touched.chain(after).for_each(|&register| is_live[register as usize] = false);
        peak
    }
}

fn counts(listing: &Listing) -> Vec<Count> {
    let mut counts = vec![Count::default(); listing.registers.len()];
    for instruction in listing.blocks.iter().flatten() {
        instruction.writes.iter().for_each(|&register| counts[register as usize].writes += 1);
        let base = instruction.address.and_then(|(base, _)| base);
        let is_sum = matches!(instruction.opcode.as_str(), "add.s64" | "add.u64");
        for &register in &instruction.reads {
            let count = &mut counts[register as usize];
            count.reads += 1;
            count.as_address += u32::from(base == Some(register));
            count.in_sum += u32::from(is_sum);
        }
    }
    counts
}

/// Returns for each virtual register whether it may differ between the threads of a block.
fn varying(listing: &Listing) -> Vec<bool> {
    let mut varies = vec![false; listing.registers.len()];
    for _ in 0..PASSES {
        let mut changed = false;
        for instruction in listing.blocks.iter().flatten() {
            let is_uniform = is_uniform_opcode(instruction)
                && !instruction.reads_thread
                && instruction.guard.is_none()
                && !instruction.reads.iter().any(|&register| varies[register as usize]);
            if !is_uniform {
                let writes = instruction.writes.iter();
                changed |=
                    writes.fold(false, |new, &register| !std::mem::replace(&mut varies[register as usize], true) | new);
            }
        }
        if !changed {
            break;
        }
    }
    varies
}

/// Returns whether the uniform units have an instruction: those for integers.
fn is_uniform_opcode(instruction: &ListedInstruction) -> bool {
    let opcode = instruction.opcode.as_str();
    let of_integers = !opcode.contains(".f");
    match name(opcode) {
        "ld" => opcode.contains(".param") && !instruction.is_argument,
        "mov" | "cvta" | "setp" | "add" | "sub" | "mul" | "mad" | "shl" | "shr" | "and" | "or" | "xor" | "not"
        | "cvt" | "min" | "max" | "selp" | "neg" => of_integers,
        _ => false,
    }
}
