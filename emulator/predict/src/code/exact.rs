//! Functions that PTX computes with correct rounding: `div.rn`, `rcp.rn` and `sqrt.rn`.
//!
//! The sequences are those that ptxas 13.0 writes for compute capability 9.0. A special function is corrected by a chain of
//! products. A branch goes around a call for operands of extreme size, which no estimate expects. Nothing moves across the
//! branch, and so an unrolled loop with a division is a chain of divisions.

use super::operation::{ARITHMETIC, OF_THE_TABLE, Operation, PREDICATE, Unit};
use crate::gpu::H200;
use emulator::ListedInstruction;

/// The products after the special function.
const PRODUCTS_OF_DIVISION: usize = 5;
const PRODUCTS_OF_ROOT: usize = 4;
const PRODUCTS_OF_RECIPROCAL: usize = 3;

/// Returns the operations of a correctly rounded function.
pub(super) fn expand(
    instruction: &ListedInstruction,
    name: &str,
    mut new_register: impl FnMut() -> u32,
) -> Vec<Operation> {
    let reads = &instruction.reads;
    let [special, is_extreme] = [new_register(), new_register()];
    let compute = Operation::new(Unit::Special, OF_THE_TABLE, reads, &[special]);
    let branch = Operation { stall: H200.latency.taken_branch, ..Operation::new(Unit::Branch, 0, &[is_extreme], &[]) };
    let mut products = |count| chain(instruction, special, count, &mut new_register);
    // The points where the warp would part and meet.
    let mut operations = vec![Operation::new(Unit::Other, 0, &[], &[])];
    match name {
        "sqrt" => {
            let is_large = Operation::new(Unit::Integer, PREDICATE, reads, &[is_extreme]).with_more_slots(1);
            operations.extend([compute, is_large, branch]);
            operations.extend(products(PRODUCTS_OF_ROOT));
        }
        "rcp" => {
            let is_large = Operation::new(Unit::Integer, PREDICATE, reads, &[is_extreme]).with_more_slots(2);
            operations.extend([is_large, branch, compute]);
            operations.extend(products(PRODUCTS_OF_RECIPROCAL));
        }
        _ => {
            let check = Operation::new(Unit::Special, OF_THE_TABLE, reads, &[is_extreme]);
            operations.extend([compute, check]);
            operations.extend(products(PRODUCTS_OF_DIVISION));
            operations.push(branch);
        }
    }
    operations.push(Operation::new(Unit::Other, 0, &[], &[]));
    operations
}

/// Returns `count` products, each of which depends on the one before, and the last of which writes the result.
fn chain(
    instruction: &ListedInstruction,
    special: u32,
    count: usize,
    mut new_register: impl FnMut() -> u32,
) -> Vec<Operation> {
    let mut last = special;
    let product = |index: usize| {
        let reads: Vec<u32> = instruction.reads.iter().copied().chain([last]).collect();
        last = new_register();
        let writes = if index + 1 == count { instruction.writes.clone() } else { vec![last] };
        Operation::new(Unit::Fma, ARITHMETIC, &reads, &writes)
    };
    (0..count).map(product).collect()
}
