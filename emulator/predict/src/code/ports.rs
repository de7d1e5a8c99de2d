//! Reads of the register file. Each scheduler reads one register per cycle from each of two banks. A register that the
//! previous operation read too is still at hand.

use super::operation::Operation;
use emulator::RegisterFile;

/// Counts the reads of each operation of a scheduled block by bank.
///
/// PTX does not determine the banks, which ptxas chooses with the registers. It is assumed to spread the registers of an
/// operation evenly. Three reads then take one and a half cycles on average, as measured (limit `registers` in
/// `results/nvidia-h200/limits.json`).
pub(super) fn count(block: &mut [Operation], registers: &[RegisterFile]) {
    let mut held: Vec<u32> = Vec::new();
    let mut larger = 0;
    for operation in block.iter_mut().filter(|operation| operation.is_issued()) {
        let is_predicate = |register: &u32| registers.get(*register as usize) == Some(&RegisterFile::Predicate);
        let mut reads: Vec<u32> = operation.reads.iter().copied().filter(|register| !is_predicate(register)).collect();
        reads.sort_unstable();
        reads.dedup();
        let new = reads.iter().filter(|register| !held.contains(register)).count() as u64;
        operation.ports[larger] = new.div_ceil(2);
        operation.ports[1 - larger] = new / 2;
        larger = if new % 2 == 1 { 1 - larger } else { larger };
        held = reads;
    }
}
