//! From instructions to the operations that the simulator replays.

use super::listing::{Control, Instruction};
use super::operand::{Operand, Signed};
use crate::code::operation::{Address, Operation, Unit};
use crate::code::tensor::Product;

/// The number of scoreboards, which are the registers of operations from machine code.
pub(crate) const SCOREBOARDS: usize = 6;

/// Returns whether an instruction accesses memory at an address that it computes.
pub(super) fn is_access(instruction: &Instruction) -> bool {
    let is_indexed = || instruction.operands.iter().any(|operand| matches!(operand.operand, Operand::Address(_)));
    match unit(instruction) {
        Unit::Shared | Unit::Load | Unit::Store | Unit::Atomic | Unit::Copy => true,
        Unit::Constant => is_indexed(),
        _ => false,
    }
}

/// Returns whether an instruction loads or stores matrices of 8 rows of 16 bytes in shared memory.
fn moves_matrices(instruction: &Instruction) -> bool {
    matches!(instruction.name(), "LDSM" | "STSM")
}

/// Returns the lanes whose addresses an access uses: of matrices, eight for each.
pub(super) fn addressing_lanes(instruction: &Instruction) -> u32 {
    match (moves_matrices(instruction), instruction.has("4"), instruction.has("2")) {
        (false, ..) | (_, true, _) => u32::MAX,
        (_, _, true) => 0xffff,
        _ => 0xff,
    }
}

/// Returns the unit of an instruction.
pub(super) fn unit(instruction: &Instruction) -> Unit {
    match instruction.name() {
        "FFMA" | "FADD" | "FMUL" | "HADD2" | "HMUL2" | "HMNMX2" => Unit::Fma,
        "HFMA2" if !instruction.has("MOV") => Unit::Fma,
        "IMAD" | "HFMA2" => Unit::Multiply,
        "DADD" | "DMUL" | "DFMA" | "DSETP" => Unit::Double,
        "HMMA" => Unit::Tensor,
        "MUFU" | "I2F" | "F2I" | "FRND" | "F2F" | "POPC" | "FLO" | "BREV" => Unit::Special,
        "LDS" | "STS" | "ATOMS" | "LDSM" | "STSM" => Unit::Shared,
        "LDG" | "LD" | "LDL" => Unit::Load,
        "STG" | "ST" | "STL" => Unit::Store,
        "REDG" | "RED" | "ATOMG" | "ATOM" => Unit::Atomic,
        "LDGSTS" => Unit::Copy,
        "SHFL" => Unit::Shuffle,
        "BAR" => Unit::Barrier,
        "BRA" => Unit::Branch,
        "LDC" | "ULDC" => Unit::Constant,
        "S2R" | "S2UR" | "R2UR" => Unit::SpecialRegister,
        "VOTE" | "VOTEU" => Unit::Vote,
        "LDGDEPBAR" => Unit::CommitCopies,
        "DEPBAR" => Unit::WaitForCopies,
        "EXIT" | "NOP" | "BSSY" | "BSYNC" | "BREAK" | "WARPSYNC" | "YIELD" | "MEMBAR" | "ERRBAR" | "CGAERRBAR"
        | "CCTL" | "RET" | "CALL" | "ENDCOLLECTIVE" => Unit::Other,
        // The uniform datapath has no limit here besides the issue slot.
        name if name.starts_with('U') => Unit::Other,
        _ => Unit::Integer,
    }
}

/// Returns the operation of the instruction with a number. Its registers are the scoreboards: all other waiting is in the stall
/// counts.
pub(super) fn operation(instruction: &Instruction, number: usize) -> Operation {
    let Control { stall, sets, releases, waits, ports } = instruction.control;
    let waits: Vec<u32> = (0..SCOREBOARDS as u32).filter(|scoreboard| waits >> scoreboard & 1 == 1).collect();
    let sets: Vec<u32> = sets.into_iter().map(u32::from).collect();
    let mut operation = Operation::new(unit(instruction), 0, &waits, &sets);
    operation.stall = stall.max(1).into();
    operation.releases = releases.map(u32::from);
    operation.ports = ports.map(u64::from);
    operation.occupies = Product::from_machine_code(&instruction.opcode).map_or(0, |product| product.occupies);
    if operation.unit == Unit::WaitForCopies {
        operation.leaves = instruction.operands.iter().find_map(literal).unwrap_or(0);
    }
    if is_access(instruction) {
        operation.instructions.push(number as u32);
        let stores = matches!(operation.unit, Unit::Store | Unit::Atomic | Unit::Copy)
            || matches!(instruction.name(), "STS" | "STSM");
        let bypasses = instruction.has("STRONG") || instruction.has("BYPASS");
        let adds_floats = operation.unit == Unit::Atomic && instruction.opcode.contains(".F");
        let bytes = bytes(instruction);
        operation.access = Some(Address { base: None, offset: 0, bytes, stores, bypasses, adds_floats });
    }
    operation
}

fn literal(operand: &Signed) -> Option<u64> {
    match operand.operand {
        Operand::Literal(value) => u64::try_from(value).ok(),
        _ => None,
    }
}

/// Returns the bytes per lane of an access.
pub(super) fn bytes(instruction: &Instruction) -> u16 {
    if moves_matrices(instruction) {
        return 16;
    }
    let widths = [("128", 16), ("64", 8), ("U16", 2), ("S16", 2), ("U8", 1), ("S8", 1)];
    widths.into_iter().find(|(width, _)| instruction.has(width)).map_or(4, |(_, bytes)| bytes)
}
