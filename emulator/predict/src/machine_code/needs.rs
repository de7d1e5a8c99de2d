//! The instructions on which branches and addresses depend, found backward from those.

use super::listing::{Instruction, Listed};
use super::meaning;
use super::operand::{Operand, ROWS, TRUE};
use super::token::{PLACES, Token, address};

/// What must be known before an instruction: one flag for each register and predicate.
type Needs = [bool; PLACES];

/// Returns whether an instruction's guard and operands decide by themselves: branches, exits, and accesses to memory.
pub(super) fn is_decisive(instruction: &Instruction) -> bool {
    super::lower::is_access(instruction) || is_jump(instruction)
}

/// Returns whether the next instruction need not be the one below.
pub(super) fn is_jump(instruction: &Instruction) -> bool {
    matches!(instruction.name(), "BRA" | "EXIT" | "BRX" | "RET" | "CALL" | "JMP")
}

/// Returns the program of the addresses of an access, or the condition of a branch besides its guard.
pub(super) fn decision(instruction: &Instruction) -> Vec<Token> {
    let of = |operand: &super::operand::Signed| match &operand.operand {
        Operand::Address(terms) => Some(address(terms)),
        Operand::Predicate(number) if *number != TRUE && instruction.name() == "BRA" => {
            Some(super::token::word(operand))
        }
        _ => None,
    };
    // Of a copy, the address in global memory comes last.
    instruction.operands.iter().rev().find_map(of).unwrap_or_default()
}

/// Returns whether each instruction is needed.
pub(super) fn find_needed(kernel: &Listed) -> Vec<bool> {
    let count = kernel.instructions.len();
    let programs: Vec<Vec<Token>> =
        kernel.instructions.iter().map(|one| meaning::translate(&one.opcode, &one.operands)).collect();
    let targets: Vec<Option<usize>> = kernel.instructions.iter().map(|one| target(kernel, one)).collect();
    let mut needs: Vec<Needs> = vec![[false; PLACES]; count + 1];
    let mut needed = vec![false; count];
    loop {
        let mut has_changed = false;
        for index in (0..count).rev() {
            let instruction = &kernel.instructions[index];
            let mut after = if falls_through(instruction) { needs[index + 1] } else { [false; PLACES] };
            if let Some(target) = targets[index] {
                after.iter_mut().zip(&needs[target]).for_each(|(one, other)| *one |= other);
            }
            let before = before(instruction, &programs[index], after, &mut needed[index]);
            has_changed |= before != needs[index];
            needs[index] = before;
        }
        if !has_changed {
            return needed;
        }
    }
}

fn target(kernel: &Listed, instruction: &Instruction) -> Option<usize> {
    let is_followed = matches!(instruction.name(), "BRA") && !instruction.has("DIV");
    let label = instruction.operands.iter().find_map(|operand| match &operand.operand {
        Operand::Label(label) => Some(label),
        _ => None,
    });
    label.filter(|_| is_followed).and_then(|label| kernel.target(label))
}

/// Returns whether the instruction below can be the next one.
pub(super) fn falls_through(instruction: &Instruction) -> bool {
    let is_conditional = instruction.guard.is_some()
        || instruction.operands.iter().any(|one| matches!(one.operand, Operand::Predicate(number) if number != TRUE));
    !matches!(instruction.name(), "BRA" | "EXIT" | "RET") || is_conditional || instruction.has("DIV")
}

/// Returns what must be known before an instruction, by what must be known after it.
fn before(instruction: &Instruction, program: &[Token], mut needs: Needs, is_needed: &mut bool) -> Needs {
    let writes: Vec<usize> = program.iter().flat_map(|token| token.writes()).collect();
    let decides = is_decisive(instruction);
    let computes = writes.iter().any(|place| needs[*place]);
    if computes && instruction.guard.is_none() {
        writes.iter().for_each(|place| needs[*place] = false);
    }
    if computes {
        program.iter().flat_map(|token| token.reads()).for_each(|place| needs[place] = true);
    }
    if decides {
        decision(instruction).iter().flat_map(|token| token.reads()).for_each(|place| needs[place] = true);
    }
    // Of a wait for copies, the number of groups that stay in flight.
    *is_needed = computes || decides || instruction.name() == "DEPBAR";
    if let Some(guard) = instruction.guard.filter(|guard| *is_needed && guard.predicate != TRUE) {
        needs[ROWS + usize::from(guard.predicate)] = true;
    }
    needs
}
