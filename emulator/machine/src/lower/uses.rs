//! The uses of loaded values, which decide what the checks say about a load.

use super::listing::{ListedInstruction, Listing};
use super::step::{Action, Program};
use super::transfers::{Transfer, Uses};
use crate::isa::memory::MemoryOperation;
use std::collections::HashSet;
use std::sync::Arc;

/// Returns the uses of the values that a program loads. They are found out once.
pub(crate) fn uses(program: &Program) -> Arc<Uses> {
    Arc::clone(program.known_uses.get_or_init(|| Arc::new(find(program))))
}

fn find(program: &Program) -> Uses {
    let all: Vec<&ListedInstruction> = program.listing.blocks.iter().flatten().collect();
    let registers = Registers::new(&program.listing, &all);
    let mut of_number = vec![None; program.origins.len() + 1];
    for (index, instruction) in all.iter().enumerate() {
        of_number[(instruction.number as usize).min(program.origins.len())] = Some(index);
    }
    let mut uses = Uses {
        indices: vec![0; program.steps.len()],
        transfers: vec![Transfer::default()],
        listing: Arc::clone(&program.listing),
        numbers: program.steps.iter().map(|step| step.origin).collect(),
    };
    for (position, step) in program.steps.iter().enumerate() {
        let Action::Memory { operation, visible: true, .. } = step.action else { continue };
        let listed = of_number.get(step.origin as usize).copied().flatten();
        let Some(instruction) = listed.map(|index| all[index]) else { continue };
        let transfer = match operation {
            MemoryOperation::Load { lanes, .. } => registers.load(&all, instruction, lanes.into()),
            MemoryOperation::Store { lanes, .. } => registers.store(instruction, lanes.into()),
            MemoryOperation::Atomic { .. } => None,
        };
        if let Some(transfer) = transfer {
            uses.indices[position] = uses.transfers.len() as u32;
            uses.transfers.push(transfer);
        }
    }
    uses
}

/// Definitions and uses of the virtual registers.
struct Registers {
    /// Whether more is done with a value than to store it.
    used: Vec<bool>,
    /// Whether only loads write it.
    loaded: Vec<bool>,
    /// Whether a volatile load writes it.
    volatile: Vec<bool>,
    /// The indices of the instructions that read it, if the kernel has volatile loads.
    readers: Vec<Vec<usize>>,
}

fn name(instruction: &ListedInstruction) -> &str {
    instruction.opcode.split('.').next().unwrap_or_default()
}

fn is_volatile_load(instruction: &ListedInstruction) -> bool {
    instruction.opcode.starts_with("ld.volatile")
}

impl Registers {
    fn new(listing: &Listing, all: &[&ListedInstruction]) -> Self {
        let count = listing.registers.len();
        let mut registers = Self {
            used: vec![false; count],
            loaded: vec![true; count],
            volatile: vec![false; count],
            readers: vec![Vec::new(); count],
        };
        let has_volatile = all.iter().any(|instruction| is_volatile_load(instruction));
        // The registers whose values are moved to each register.
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (index, instruction) in all.iter().enumerate() {
            let name = name(instruction);
            for &written in &instruction.writes {
                registers.loaded[written as usize] &= name == "ld" && !instruction.is_argument;
                registers.volatile[written as usize] |= is_volatile_load(instruction);
                if name == "mov" {
                    sources[written as usize].extend(&instruction.reads);
                }
            }
            let base = instruction.address.and_then(|(base, _)| base);
            match name {
                "mov" => {}
                // The address is read first. Only it is used.
                "st" => base.into_iter().for_each(|base| registers.used[base as usize] = true),
                _ => instruction.reads.iter().for_each(|&read| registers.used[read as usize] = true),
            }
            if has_volatile {
                let all = instruction.reads.iter().chain(&instruction.guard);
                all.for_each(|&read| registers.readers[read as usize].push(index));
            }
        }
        let mut pending: Vec<usize> = (0..count).filter(|&register| registers.used[register]).collect();
        while let Some(register) = pending.pop() {
            for source in std::mem::take(&mut sources[register]) {
                if !std::mem::replace(&mut registers.used[source as usize], true) {
                    pending.push(source as usize);
                }
            }
        }
        registers
    }

    fn propagating(&self, registers: &[u32]) -> [Option<u32>; 4] {
        std::array::from_fn(|index| registers.get(index).copied().filter(|&register| self.loaded[register as usize]))
    }

    fn load(&self, all: &[&ListedInstruction], load: &ListedInstruction, lanes: usize) -> Option<Transfer> {
        let results = (load.writes.len() == lanes && lanes <= 4).then_some(load.writes.as_slice())?;
        let only_stored = |(index, &register): (usize, &u32)| u8::from(!self.used[register as usize]) << index;
        Some(Transfer {
            elements: lanes as u8,
            only_stored: results.iter().enumerate().map(only_stored).fold(0, |bits, bit| bits | bit),
            decides: is_volatile_load(load) && results.iter().any(|&register| self.decides(all, register)),
            registers: self.propagating(results),
        })
    }

    fn store(&self, store: &ListedInstruction, lanes: usize) -> Option<Transfer> {
        let (base, _) = store.address?;
        let values = &store.reads[usize::from(base.is_some()).min(store.reads.len())..];
        let registers = if values.len() == lanes { self.propagating(values) } else { return None };
        Some(Transfer { elements: lanes as u8, registers, ..Transfer::default() })
    }

    /// Returns whether an integer decides a branch.
    fn decides(&self, all: &[&ListedInstruction], register: u32) -> bool {
        let mut known = HashSet::from([register]);
        let mut pending = vec![register];
        while let Some(register) = pending.pop() {
            for &reader in &self.readers[register as usize] {
                let instruction = all[reader];
                if instruction.guard == Some(register) && matches!(name(instruction), "bra" | "ret" | "exit" | "brx") {
                    return true;
                }
                let of_floats = instruction.opcode.contains(".f") || instruction.opcode.contains(".bf");
                let of_integers = match name(instruction) {
                    "setp" | "set" | "selp" | "mov" | "cvt" | "and" | "or" | "xor" | "not" | "shl" | "shr" | "add"
                    | "sub" | "bfe" | "lop3" | "prmt" | "vote" => !of_floats,
                    _ => false,
                };
                let alone = |read: &u32| known.contains(read) || !self.volatile[*read as usize];
                if of_integers && instruction.reads.iter().all(alone) {
                    let new = instruction.writes.iter().filter(|&&written| known.insert(written));
                    pending.extend(new);
                }
            }
        }
        false
    }
}
